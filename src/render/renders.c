#include "render/renders.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/require.h"
#include "db/storage.h"
#include "lateness.h"
#include "leftovers.h"
#include "outdated.h"
#include "render_run.h"
#include "version_checks.h"

#include <stdlib.h>

struct renders {
	struct renders_settings settings;
	struct upcoming_subscriber upcoming;
	struct render_jobs jobs;
	struct render_runs runs;
	struct version_checks checks;
	struct leftovers leftovers;
	struct lateness lateness;
	struct outdated outdated;
	struct later start;
	bool is_draining;
};

static void on_start(struct later *later)
{
	struct renders *renders = container_of(later, struct renders, start);
	struct render_job *job;

	while (!renders->is_draining &&
	       (job = render_jobs_take(&renders->jobs, loop_now_ms(renders->settings.loop))))
		render_run_begin(&renders->runs, job);
}

static void on_due(struct upcoming_subscriber *subscriber, const struct upcoming_app *app)
{
	struct renders *renders = container_of(subscriber, struct renders, upcoming);

	/* Without room, here or on the disk, the demand is dropped: the panel repeats it. */
	if (!renders->is_draining && storage_takes_pictures(db_storage(renders->settings.db)) &&
	    render_jobs_add(&renders->jobs, app, loop_now_ms(renders->settings.loop)))
		loop_later(renders->settings.loop, &renders->start);
}

static void on_ended(void *context, struct render_job *job)
{
	struct renders *renders = context;

	render_job_end(&renders->jobs, job);
	loop_later(renders->settings.loop, &renders->start);
}

struct renders *renders_create(const struct renders_settings *settings)
{
	struct renders *renders = memory_zalloc(sizeof(*renders));

	renders->settings = *settings;
	loop_later_init(&renders->start, on_start);
	render_jobs_init(&renders->jobs, LIMIT_RENDER_WANTS);
	renders->runs =
	    (struct render_runs){.settings = *settings, .ended = on_ended, .context = renders};
	renders->runs.lateness = &renders->lateness;
	render_runs_init(&renders->runs);
	renders->checks.settings = *settings;
	version_checks_start(&renders->checks);
	renders->leftovers.loop = settings->loop;
	renders->leftovers.db = settings->db;
	leftovers_start(&renders->leftovers);
	renders->outdated.loop = settings->loop;
	renders->outdated.db = settings->db;
	renders->outdated.delivery = settings->delivery;
	outdated_start(&renders->outdated);
	renders->upcoming.on_due = on_due;
	delivery_subscribe_upcoming(settings->delivery, &renders->upcoming);
	return renders;
}

void renders_tell(struct renders *renders, struct render_health *health)
{
	lateness_tell(&renders->lateness, &renders->jobs, clock_wall_us() / (1000 * 1000), health);
}

void renders_drain(struct renders *renders)
{
	renders->is_draining = true;
	render_runs_drain(&renders->runs);
	version_checks_drain(&renders->checks);
	leftovers_drain(&renders->leftovers);
	outdated_drain(&renders->outdated);
}

void renders_destroy(struct renders *renders)
{
	require(renders->runs.count == 0);
	loop_later_cancel(&renders->start);
	version_checks_finish(&renders->checks);
	render_jobs_finish(&renders->jobs);
	free(renders);
}

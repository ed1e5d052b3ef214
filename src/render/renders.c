#include "render/renders.h"
#include "base/limits.h"
#include "base/require.h"
#include "compiles.h"
#include "db/storage.h"
#include "leftovers.h"
#include "outdated.h"
#include "render_job.h"

#include <stdlib.h>

enum {
	/* Limit of renders under way: a few accounts with slow scripts must not fill it. */
	UNDER_WAY_MAX = 4 * WANTS_OF_ACCOUNT_MAX,
};

struct renders {
	struct renders_settings settings;
	struct upcoming_subscriber upcoming;
	struct wants wants;
	struct render_jobs jobs;
	struct compiles compiles;
	struct leftovers leftovers;
	struct outdated outdated;
	struct later start;
	bool is_draining;
};

static void on_start(struct later *later)
{
	struct renders *renders = container_of(later, struct renders, start);
	struct want *want;

	while (!renders->is_draining && renders->jobs.count < UNDER_WAY_MAX &&
	       (want = wants_take(&renders->wants, loop_now_ms(renders->settings.loop))))
		render_job_begin(&renders->jobs, want);
}

static void on_due(struct upcoming_subscriber *subscriber, const struct upcoming_app *app)
{
	struct renders *renders = container_of(subscriber, struct renders, upcoming);

	/* Without room, here or on the disk, it is dropped: the panel demands it again. */
	if (!renders->is_draining && storage_takes_pictures(db_storage(renders->settings.db)) &&
	    wants_add(&renders->wants, app, loop_now_ms(renders->settings.loop)))
		loop_later(renders->settings.loop, &renders->start);
}

static void on_ended(void *context, struct want *want)
{
	struct renders *renders = context;

	want_end(&renders->wants, want);
	loop_later(renders->settings.loop, &renders->start);
}

struct renders *renders_create(const struct renders_settings *settings)
{
	struct renders *renders = memory_zalloc(sizeof(*renders));

	renders->settings = *settings;
	loop_later_init(&renders->start, on_start);
	wants_init(&renders->wants, LIMIT_RENDER_WANTS);
	renders->jobs =
	    (struct render_jobs){.settings = *settings, .ended = on_ended, .context = renders};
	render_jobs_init(&renders->jobs);
	renders->compiles.settings = *settings;
	compiles_start(&renders->compiles);
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

void renders_drain(struct renders *renders)
{
	renders->is_draining = true;
	render_jobs_drain(&renders->jobs);
	compiles_drain(&renders->compiles);
	leftovers_drain(&renders->leftovers);
	outdated_drain(&renders->outdated);
}

void renders_destroy(struct renders *renders)
{
	require(renders->jobs.count == 0);
	loop_later_cancel(&renders->start);
	compiles_finish(&renders->compiles);
	wants_finish(&renders->wants);
	free(renders);
}

#include "base/memory.h"
#include "base/require.h"
#include "events/changed_hint.h"
#include "state.h"

#include <stdlib.h>

enum { SOON_MS = 30, LOOK_MS = 30 * 1000, UNAVAILABLE_MS = 1000 };

static void look_after(struct firmware_jobs *jobs, uint64_t ms)
{
	uint64_t at_ms = loop_now_ms(jobs->settings.loop) + ms;

	/* Never moves the look to a later time: hints may come without end. */
	if (jobs->is_draining || jobs->is_asking ||
	    (deadline_is_set(&jobs->look) && jobs->look_ms <= at_ms))
		return;
	jobs->look_ms = at_ms;
	deadline_set_at(jobs->settings.loop, &jobs->look, at_ms);
}

static void on_leased(struct db_query *query, const struct db_result *result)
{
	struct firmware_jobs *jobs = container_of(query, struct firmware_jobs, query);

	jobs->is_asking = false;
	if (result->outcome == DB_OK && result->row_count) {
		db_read_row(result, 0, query->record, &jobs->arena, &jobs->row);
		fetch_begin(jobs, &jobs->arena);
	}
	arena_finish(&jobs->arena);
	look_after(jobs, result->outcome == DB_OK ? LOOK_MS : UNAVAILABLE_MS);
}

static void on_look(struct deadline *deadline)
{
	struct firmware_jobs *jobs = container_of(deadline, struct firmware_jobs, look);

	if (jobs->fetch || !db_is_up(jobs->settings.db)) {
		look_after(jobs, jobs->fetch ? LOOK_MS : UNAVAILABLE_MS);
		return;
	}
	jobs->is_asking = true;
	jobs->lease = id_new();
	db_query_init(&jobs->query, &jobs->arena);
	statement_firmware_releases_lease(&jobs->query,
					  &(struct firmware_releases_lease_parameters){
					      .lease = jobs->lease,
					      .lease_ms = FETCH_LEASE_MS,
					  },
					  NULL);
	jobs->query.done = on_leased;
	db_submit(jobs->settings.db, &jobs->query);
}

static void on_fetched(struct firmware_jobs *jobs)
{
	look_after(jobs, SOON_MS);
}

/* Pages of administrators hear of a fetch that was asked for: so does this. */
static void on_hint(struct hint_subscription *hints, struct str text)
{
	struct firmware_jobs *jobs = container_of(hints, struct firmware_jobs, hints);
	struct id account;
	struct str topic;

	if (changed_parse(text, &account, &topic) && str_equal(topic, STR("admin")))
		look_after(jobs, SOON_MS);
}

static void on_series(struct hint_subscription *hints, struct str text)
{
	(void)text;
	series_look_soon(&container_of(hints, struct firmware_jobs, series_hints)->series);
}

struct firmware_jobs *firmware_jobs_create(const struct firmware_settings *settings)
{
	struct firmware_jobs *jobs = memory_zalloc(sizeof(*jobs));

	jobs->settings = *settings;
	jobs->on_fetched = on_fetched;
	deadline_init(&jobs->look, on_look);
	look_after(jobs, UNAVAILABLE_MS);
	jobs->hints = (struct hint_subscription){.kind = STR("changed"), .on_hint = on_hint};
	db_subscribe(settings->db, &jobs->hints);
	jobs->series_hints =
	    (struct hint_subscription){.kind = STR("firmware"), .on_hint = on_series};
	db_subscribe(settings->db, &jobs->series_hints);
	series_init(&jobs->series, settings->loop, settings->db, settings->delivery);
	return jobs;
}

void firmware_jobs_drain(struct firmware_jobs *jobs)
{
	jobs->is_draining = true;
	deadline_clear(jobs->settings.loop, &jobs->look);
	series_drain(&jobs->series);
}

bool firmware_jobs_are_at_work(const struct firmware_jobs *jobs)
{
	return jobs->is_asking || jobs->fetch || jobs->series.is_asking;
}

void firmware_jobs_destroy(struct firmware_jobs *jobs)
{
	require(!jobs->is_asking && !jobs->fetch && !jobs->series.is_asking);
	db_unsubscribe(&jobs->series_hints);
	db_unsubscribe(&jobs->hints);
	free(jobs);
}

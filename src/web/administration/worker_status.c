#include "worker_status.h"
#include "base/clock.h"
#include "base/memory.h"
#include "record/record.h"

#include <stdlib.h>

static const struct record_field fields[] = {
    RECORD_INT(struct worker_status, number, .name = "number"),
    RECORD_BOOL(struct worker_status, is_alive, .name = "isAlive"),
    RECORD_TIMESTAMP(struct worker_status, started_at_us, .name = "startedAt", .nullable = true),
    RECORD_INT(struct worker_status, requests, .name = "requests"),
    RECORD_INT(struct worker_status, panels, .name = "panels"),
    RECORD_INT(struct worker_status, connected_panels, .name = "connectedPanels"),
    RECORD_BOOL(struct worker_status, is_database_up, .name = "isDatabaseUp"),
    RECORD_INT(struct worker_status, database_statements, .name = "databaseStatements"),
    RECORD_INT(struct worker_status, short_jobs, .name = "shortJobs"),
    RECORD_INT(struct worker_status, long_jobs, .name = "longJobs"),
    RECORD_INT(struct worker_status, password_jobs, .name = "passwordJobs"),
};
const struct record worker_status_record = RECORD(struct worker_status, fields);

struct worker_statuses {
	const struct metric_reader *metrics;
	unsigned workers;
	const char *version;
};

struct worker_statuses *worker_statuses_create(const struct metric_reader *metrics,
					       const struct web_settings *settings)
{
	struct worker_statuses *statuses = memory_zalloc(sizeof(*statuses));

	statuses->metrics = metrics;
	statuses->workers = settings->workers;
	statuses->version = settings->version;
	return statuses;
}

void worker_statuses_destroy(struct worker_statuses *statuses)
{
	free(statuses);
}

unsigned worker_statuses_count(const struct worker_statuses *statuses)
{
	return statuses->metrics->workers;
}

/* The most recently updated slots count as present, since a slot remains when its worker has
 * retired. */
bool worker_statuses_are_of_worker(const struct worker_statuses *statuses, unsigned index)
{
	uint64_t beat_ms = metric_beat_ms(statuses->metrics, (int)index);
	unsigned later = 0;

	for (unsigned i = 0; i < worker_statuses_count(statuses); i++) {
		uint64_t other_ms = metric_beat_ms(statuses->metrics, (int)i);

		later += other_ms > beat_ms || (other_ms == beat_ms && i < index);
	}
	return later < statuses->workers || worker_statuses_read(statuses, index).is_alive;
}

const char *worker_statuses_version(const struct worker_statuses *statuses)
{
	return statuses->version;
}

static int64_t jobs(const struct metric_reader *reader, int worker, enum metric_lane lane)
{
	int64_t count = 0;

	for (unsigned state = METRIC_JOB_WAITING; state <= METRIC_JOB_RUNNING; state++)
		count += metric_of_process(reader, worker, METRIC_LANE_JOBS,
					   metric_pair(METRIC_LANE_JOBS, lane, state));
	return count;
}

struct worker_status worker_statuses_read(const struct worker_statuses *statuses, unsigned index)
{
	struct metric_reader reader = *statuses->metrics;
	int worker = (int)index;
	struct worker_status signs = {.number = index + 1};

	reader.now_ms = clock_monotonic_ms();
	signs.is_alive = metric_is_alive(&reader, worker);
	signs.started_at_us = metric_of_process(&reader, METRIC_SUPERVISOR, METRIC_PROCESS_START,
						metric_process(worker));
	if (!signs.is_alive)
		return signs;
	signs.requests = metric_of_process(&reader, worker, METRIC_HTTP_IN_FLIGHT, 0);
	signs.panels = metric_of_process(&reader, worker, METRIC_PANELS, 0);
	signs.connected_panels =
	    metric_of_process(&reader, worker, METRIC_PANELS_CONNECTED, METRIC_PANEL_LINK);
	signs.is_database_up = metric_of_process(&reader, worker, METRIC_DATABASE_UP, 0) > 0;
	signs.database_statements =
	    metric_of_process(&reader, worker, METRIC_DATABASE_QUERIES, METRIC_QUERY_WAITING) +
	    metric_of_process(&reader, worker, METRIC_DATABASE_QUERIES, METRIC_QUERY_SENT);
	signs.short_jobs = jobs(&reader, worker, METRIC_LANE_SHORT);
	signs.long_jobs = jobs(&reader, worker, METRIC_LANE_LONG);
	signs.password_jobs = jobs(&reader, worker, METRIC_LANE_PASSWORD) +
			      jobs(&reader, worker, METRIC_LANE_KNOWN_PASSWORD);
	return signs;
}

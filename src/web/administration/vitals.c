#include "vitals.h"
#include "base/clock.h"
#include "base/memory.h"
#include "record/record.h"

#include <stdlib.h>

static const struct record_field fields[] = {
    RECORD_INT(struct vital_signs, number, .name = "number"),
    RECORD_BOOL(struct vital_signs, is_alive, .name = "isAlive"),
    RECORD_TIMESTAMP(struct vital_signs, started_at_us, .name = "startedAt", .nullable = true),
    RECORD_INT(struct vital_signs, requests, .name = "requests"),
    RECORD_INT(struct vital_signs, panels, .name = "panels"),
    RECORD_INT(struct vital_signs, connected_panels, .name = "connectedPanels"),
    RECORD_BOOL(struct vital_signs, is_database_up, .name = "isDatabaseUp"),
    RECORD_INT(struct vital_signs, database_statements, .name = "databaseStatements"),
    RECORD_INT(struct vital_signs, short_jobs, .name = "shortJobs"),
    RECORD_INT(struct vital_signs, long_jobs, .name = "longJobs"),
    RECORD_INT(struct vital_signs, password_jobs, .name = "passwordJobs"),
};
const struct record vital_signs_record = RECORD(struct vital_signs, fields);

struct vitals {
	const struct metric_reader *metrics;
	unsigned workers;
	const char *version;
};

struct vitals *vitals_create(const struct metric_reader *metrics,
			     const struct web_settings *settings)
{
	struct vitals *vitals = memory_zalloc(sizeof(*vitals));

	vitals->metrics = metrics;
	vitals->workers = settings->workers;
	vitals->version = settings->version;
	return vitals;
}

void vitals_destroy(struct vitals *vitals)
{
	free(vitals);
}

unsigned vitals_count(const struct vitals *vitals)
{
	return vitals->metrics->workers;
}

/* Counts as present the slots that were updated last: a slot stays behind when its worker has
 * retired. */
bool vitals_are_of_worker(const struct vitals *vitals, unsigned index)
{
	uint64_t beat_ms = metric_beat_ms(vitals->metrics, (int)index);
	unsigned later = 0;

	for (unsigned i = 0; i < vitals_count(vitals); i++) {
		uint64_t other_ms = metric_beat_ms(vitals->metrics, (int)i);

		later += other_ms > beat_ms || (other_ms == beat_ms && i < index);
	}
	return later < vitals->workers || vitals_read(vitals, index).is_alive;
}

const char *vitals_version(const struct vitals *vitals)
{
	return vitals->version;
}

static int64_t jobs(const struct metric_reader *reader, int worker, enum metric_lane lane)
{
	int64_t count = 0;

	for (unsigned state = METRIC_JOB_WAITING; state <= METRIC_JOB_RUNNING; state++)
		count += metric_of_process(reader, worker, METRIC_LANE_JOBS,
					   metric_pair(METRIC_LANE_JOBS, lane, state));
	return count;
}

struct vital_signs vitals_read(const struct vitals *vitals, unsigned index)
{
	struct metric_reader reader = *vitals->metrics;
	int worker = (int)index;
	struct vital_signs signs = {.number = index + 1};

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

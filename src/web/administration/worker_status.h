/* Status of the workers of this instance, from their counters (metric/read.h), for the page of the
 * instance (GET /web/admin/instance). */
#pragma once

#include "web/web.h"

struct worker_statuses;

/* Report of one worker. */
struct worker_status {
	int64_t number; /* number of the worker, from 1 */
	bool is_alive;	/* it reported within the last seconds */
	int64_t started_at_us;
	int64_t requests;	  /* under way */
	int64_t panels;		  /* in memory */
	int64_t connected_panels; /* by a WebSocket */
	bool is_database_up;
	int64_t database_statements; /* waiting or running */
	int64_t short_jobs;	     /* jobs of the lanes, waiting or running */
	int64_t long_jobs;
	int64_t password_jobs;
};

extern const struct record worker_status_record;

/* metrics and settings->version must stay valid. */
struct worker_statuses *worker_statuses_create(const struct metric_reader *metrics,
					       const struct web_settings *settings);
void worker_statuses_destroy(struct worker_statuses *statuses);

/* Returns the number of the workers' slots. */
unsigned worker_statuses_count(const struct worker_statuses *statuses);
/* Whether the slot belongs to a worker that runs, or should run. index: below the count. */
bool worker_statuses_are_of_worker(const struct worker_statuses *statuses, unsigned index);
/* Version of displayd. */
const char *worker_statuses_version(const struct worker_statuses *statuses);
/* index: below the count. */
struct worker_status worker_statuses_read(const struct worker_statuses *statuses, unsigned index);

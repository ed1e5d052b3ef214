/* Status of the workers of this instance, from their counters (metric/read.h), for the page of the
 * instance (GET /web/admin/instance). */
#pragma once

#include "web/web.h"

struct vitals;

/* Report of one worker. */
struct vital_signs {
	int64_t number; /* of the worker, from 1 */
	bool is_alive;	/* it has said so within the last seconds */
	int64_t started_at_us;
	int64_t requests;	  /* at work */
	int64_t panels;		  /* in memory */
	int64_t connected_panels; /* by a WebSocket */
	bool is_database_up;
	int64_t database_statements; /* that wait or run */
	int64_t short_jobs;	     /* of the lanes, waiting or running */
	int64_t long_jobs;
	int64_t password_jobs;
};

extern const struct record vital_signs_record;

/* metrics and settings->version stay valid. */
struct vitals *vitals_create(const struct metric_reader *metrics,
			     const struct web_settings *settings);
void vitals_destroy(struct vitals *vitals);

/* The workers' slots. */
unsigned vitals_count(const struct vitals *vitals);
/* Whether a worker is there, or should be, of whom the slot tells. index: below the count. */
bool vitals_are_of_worker(const struct vitals *vitals, unsigned index);
/* Version of displayd. */
const char *vitals_version(const struct vitals *vitals);
/* index: below the count. */
struct vital_signs vitals_read(const struct vitals *vitals, unsigned index);

/* Writes a worker's gauges and metric_beat() once a second. All workers do it at the same moment,
 * when a second begins, so that a panel that moves between workers is counted once. */
#pragma once

#include "base/log.h"
#include "db/statements.h"
#include "main/requests.h"

struct http_server;

enum { SAMPLER_TURNS = 10 /* beats */ };

struct sampler {
	struct requests *requests;
	struct http_server *http;
	struct log_counts logged;	    /* log lines that were counted */
	uint64_t second;		    /* second of the last beat, monotonic */
	uint64_t longest_ms[SAMPLER_TURNS]; /* longest turn of each second */
	/* Only one worker asks for the size of the database. */
	bool asks_size;
	bool is_asking;
	uint64_t size_at_ms; /* when it asks next */
	struct db_query size;
	struct arena arena; /* arena of the query */
	struct deadline next;
};

/* Call it after metric_attach(). Both must live until sampler_stop(). */
void sampler_start(struct sampler *sampler, struct requests *requests, struct http_server *http,
		   bool asks_size);
void sampler_stop(struct sampler *sampler);

/* Counts log lines since the last call. Also used by the supervisor. */
void sampler_count_log(struct log_counts *counted);

/* Writes a worker's gauges and its heartbeat once a second, beside its counters. All workers do it
 * at the same moment, when a second begins: so a panel that moves from one to another is counted by
 * one of them. */
#pragma once

#include "base/log.h"
#include "db/statements.h"
#include "main/requests.h"

struct http_server;

enum { SAMPLER_TURNS = 10 /* beats */ };

struct sampler {
	struct requests *requests;
	struct http_server *http;
	struct log_counts logged;	    /* that were counted */
	uint64_t second;		    /* of the last beat, monotonic */
	uint64_t longest_ms[SAMPLER_TURNS]; /* the longest turn of each second */
	/* Only one worker asks for the size of the database. */
	bool asks_size;
	bool is_asking;
	uint64_t size_at_ms; /* when it asks next */
	struct db_query size;
	struct arena arena; /* of the query */
	struct deadline next;
};

/* After metric_attach(); both stay until sampler_stop(). */
void sampler_start(struct sampler *sampler, struct requests *requests, struct http_server *http,
		   bool asks_size);
void sampler_stop(struct sampler *sampler);

/* Lines of the log since the last call. Of the supervisor, too. */
void sampler_count_log(struct log_counts *counted);

/* The parts of open_loop: what is asked for, what came of it, the connections. */
#pragma once

#include "base/str.h"

#include <netdb.h>
#include <stdint.h>

enum { OPEN_LOOP_STATUS_MAX = 600 };

struct target {
	struct str head; /* of the request, up to where Content-Length would stand */
};

/* What the command line says. */
struct plan {
	const char *method;
	double rate; /* requests a second */
	unsigned connections;
	double seconds;
	double warm_up_seconds;
	struct addrinfo *address;
	struct target *targets; /* request number i goes to target i % target_count */
	unsigned target_count;
	struct str *bodies; /* and has body i % body_count; none: no body at all */
	unsigned body_count;
	bool is_json;
};

/* What came of the requests that count: those after the warm-up. */
struct outcome {
	uint64_t first;	      /* number of the first one that counts */
	uint64_t total;	      /* numbers go up to here, exclusive */
	uint32_t *latency_us; /* each: from when it was to be sent to the end of its answer */
	uint32_t *lag_us;     /* each: from when it was to be sent to when it was */
	uint64_t count;	      /* of both */
	uint64_t statuses[OPEN_LOOP_STATUS_MAX];
	uint64_t broken;     /* the connection ended before the answer did, or it was no HTTP */
	uint64_t unanswered; /* not at the end, nor some seconds later */
	uint64_t connects;
	uint64_t body_bytes;
	double seconds; /* from the first that counts to the last answer */
	double cpu_us;	/* of this process */
};

/* Exits with a message and usage text where the arguments say nothing useful. */
struct plan plan_read(int argc, char **argv);

/* Sends all and waits for the answers. Exits where no connection can be had. */
struct outcome open_loop_run(const struct plan *plan);

void report_print(const struct plan *plan, struct outcome *outcome);

/* Requests of displayd itself to the internet, through the egress, which checks addresses and
 * follows no redirects. They also work without renderers. */
#pragma once

#include "base/id.h"

#include <text/str.h>

struct engines;
struct outbound;
struct outbound_flight;

enum { OUTBOUND_PROBLEM_BYTES = 300 };

struct outbound_header {
	const char *name;
	struct str value;
};

/* Request. Embed it. Its public members, and the texts, must not change until done(). */
struct outbound_request {
	const char *method; /* static; NULL: POST */
	struct id account;  /* account whose share of the network it uses */
	struct str scope;   /* group of requests that has turns of its own: "webhooks" */
	struct str url;
	const struct outbound_header *headers;
	unsigned header_count;
	struct str body;
	/* Why it reaches only public addresses, and nothing that --egress-allow opens: a static
	 * clause. NULL: no such restriction. */
	const char *why_public;

	/* Called once, later, from the loop. */
	void (*done)(struct outbound_request *request);
	int status; /* status of the answer; 0: there was none, and problem has the reason */
	char problem[OUTBOUND_PROBLEM_BYTES];
	struct str answer; /* body of the answer, at most 2 MiB; valid until done() returns */
	uint64_t took_ms;
	bool is_dropped; /* not sent, or not completely, because this worker ends */

	struct outbound_flight *flight; /* private */
};

/* Returns the worker's outbound requests, valid as long as the engines. */
struct outbound *engines_outbound(struct engines *engines);

/* Sends a request. After engines_drain() it is dropped. */
void outbound_send(struct outbound *outbound, struct outbound_request *request);

/* Requests of displayd itself to the internet, by the egress: addresses are checked there, and no
 * redirect is followed. It is there without renderers, too. */
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

/* Embed it. What is set stays until done(). */
struct outbound_request {
	struct id account; /* whose share of the network it uses */
	struct str scope;  /* what has turns of its own: "webhooks" */
	struct str url;
	const struct outbound_header *headers;
	unsigned header_count;
	struct str body; /* POST */
	/* Why it reaches public addresses only, and nothing that --egress-allow opens: a clause,
	 * static. NULL: it does. */
	const char *why_public;

	/* Called once, later, from the loop. */
	void (*done)(struct outbound_request *request);
	int status; /* of the answer; 0: there was none, and problem says why */
	char problem[OUTBOUND_PROBLEM_BYTES];
	uint64_t took_ms;
	bool is_dropped; /* it was not sent, or not to its end: this worker ends */

	struct outbound_flight *flight; /* private */
};

/* The worker's; as long as the engines are. */
struct outbound *engines_outbound(struct engines *engines);

/* Sends a request. After engines_drain() it is dropped. */
void outbound_post(struct outbound *outbound, struct outbound_request *request);

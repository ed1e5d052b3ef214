/* A worker's way to the egress (subprojects/egress): what scripts ask the network for, while they
 * run, and what comes back; and what displayd itself sends (render/outbound.h).
 *
 *   renderer --fetch--> egress_ask() --with an ID and the scope--> egress process
 *   renderer <--answer-- answered() <------------------------------'
 *
 * There is one egress process an instance, and a link of each worker to it, which the render host
 * makes when there is something to ask, and which goes when there was nothing for
 * LIMIT_EGRESS_IDLE_MS. */
#pragma once

#include "base/id.h"
#include "host_link.h"

#include <text/str.h>
#include <yyjson.h>

struct egress;

/* Embed it, zeroed. */
struct egress_fetch {
	struct list node;	 /* private */
	struct egress *egress;	 /* private */
	int64_t id;		 /* private: the worker's */
	int64_t asked_id;	 /* private: the renderer's */
	const char *why_refused; /* private */
	/* Once, later from the loop: head is {"fetch": {...}}, with the renderer's ID. Texts until
	 * it returns. */
	void (*answered)(struct egress_fetch *fetch, struct str head, struct str body);
};

/* Origin of a request. */
struct egress_asker {
	/* Has a share of what waits to be written, and of the network (the egress' shares.h); all
	 * zero: that of the scope. */
	struct id account;
	struct str scope; /* the answer is kept for all who ask the same in it */
	/* Why it reaches public addresses only, and not what --egress-allow opens; NULL: it does.
	 */
	const char *why_public;
	/* It is displayd itself, and no script: no redirect is followed, and the caller limits what
	 * goes to a host. */
	bool is_own;
};

struct egress *egress_create(struct loop *loop, struct host_link *host);
/* No callback comes any more. */
void egress_destroy(struct egress *egress);

/* fetch->answered is set. asked is the renderer's, which is not trusted. If too much waits for
 * the egress already, of the account or of all, the answer says so. */
void egress_ask(struct egress *egress, struct egress_fetch *fetch, yyjson_val *asked,
		struct str body, const struct egress_asker *asker);

/* answered() does not come any more. One that was answered, or never asked, is fine. */
void egress_forget(struct egress_fetch *fetch);

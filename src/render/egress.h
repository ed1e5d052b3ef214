/* Access of a worker to the egress (subprojects/egress): requests of running scripts to the
 * network, their answers, and requests of displayd itself (render/outbound.h).
 *
 *   renderer --fetch--> egress_ask() --with an ID and the scope--> egress process
 *   renderer <--answer-- answered() <------------------------------'
 *
 * An instance has one egress process, and each worker a socket to it, which the render host opens
 * at the first request, and which is closed after LIMIT_EGRESS_IDLE_MS without requests. */
#pragma once

#include "base/id.h"
#include "host_link.h"

#include <text/str.h>
#include <yyjson.h>

struct egress;

/* Request. Embed it, zeroed. */
struct egress_fetch {
	struct list node;	 /* private */
	struct egress *egress;	 /* private */
	int64_t id;		 /* private: the worker's ID */
	int64_t asked_id;	 /* set by egress_ask(): the renderer's ID */
	const char *why_refused; /* private */
	bool is_lost;		 /* set for answered(): the egress ended, or did not start */
	/* Called once, later, from the loop. head is {"fetch": {...}}, with the renderer's ID. The
	 * texts are valid until it returns. */
	void (*answered)(struct egress_fetch *fetch, struct str head, struct str body);
	/* For a download: called with each part of the file, of size bytes (-1: not known), before
	 * answered(), whose body is empty then. The receiver calls egress_take(). */
	void (*on_part)(struct egress_fetch *fetch, int64_t size, struct str data);
};

/* Origin of a request. */
struct egress_asker {
	/* Account whose share of the queue and of the network is used (the egress' shares.h); all
	 * zero: that of the scope. */
	struct id account;
	struct str scope; /* answers are cached for equal requests with this scope */
	/* Why it reaches only public addresses, and not those of --egress-allow; NULL: no such
	 * restriction.
	 */
	const char *why_public;
	/* Request of displayd itself, not of a script: redirects are not followed, and the caller
	 * limits requests to a host. */
	bool is_own;
	/* The caller limits its requests to a host. */
	bool is_paced;
	/* For a download: most bytes of the file; else 0. */
	size_t download_bytes;
};

struct egress *egress_create(struct loop *loop, struct host_link *host);
/* Destroys it. No callback is called any more. */
void egress_destroy(struct egress *egress);

/* Sends a request, with fetch->answered set. asked is the renderer's, which is untrusted. If too
 * much waits for the egress already, of the account or of all, the answer reports that. */
void egress_ask(struct egress *egress, struct egress_fetch *fetch, yyjson_val *asked,
		struct str body, const struct egress_asker *asker);

/* Notes that bytes of a download are stored: as many more may come. */
void egress_take(struct egress_fetch *fetch, size_t bytes);

/* Forgets a request: answered() is not called any more. It may have been answered, or never sent. A
 * download is ended. */
void egress_forget(struct egress_fetch *fetch);

/* Matches requests with answers: one that is kept, one on its way, or a new transfer.
 *
 *   client --request--> cache: answer
 *                       flight under way with the same key: waits with it
 *                       new flight, within the account's shares (shares.h). It waits for its turn:
 *                       the account with the fewest transfers is next, so that none keeps the
 *                       others waiting
 *
 * Of what is bounded an account has at most as much as it leaves free. A flight that has landed
 * keeps its answer, and its place, until each who waits for it has room for it. */
#pragma once

#include "client.h"
#include "request.h"

#include <text/reach.h>

enum {
	DESK_TRANSFERS_MAX = 32,
	DESK_SCOPE_TRANSFERS_MAX = 8, /* of one version of an app */
	DESK_LOOK_UPS_MAX = 48,	      /* of names, given up ones included: each takes a thread */
	DESK_SCOPE_LOOK_UPS_MAX = 4,
	DESK_GIVEN_UP_MS = 10 * 1000, /* so long a thread may go on after its transfer */
	DESK_FLIGHTS_MAX = 512,
	DESK_BODIES_MAX = 32 << 20, /* what their requests send */
	DESK_WAIT_MS = 5000,	    /* for a turn; and then for who asked to take the answer */
	DESK_CACHE_BYTES = 16 << 20,
};

struct desk;

/* allowed and certificates (NULL: the system's) live as long as the desk. */
struct desk *desk_create(const struct network_list *allowed, const char *certificates)
    __attribute__((warn_unused_result));
void desk_destroy(struct desk *desk);

/* Takes the requests that the client has sent. */
void desk_take(struct desk *desk, struct client *client);
/* The client is about to go: nobody waits for its answers. Transfers that have begun go on, since
 * others may ask for the same. */
void desk_forget(struct desk *desk, const struct client *client);

/* Waits for a socket in fds, a transfer or a turn that has come to its end; not at all if one of
 * the clients, which are a list, has sent or can be given something. */
struct curl_waitfd;
void desk_wait(struct desk *desk, struct curl_waitfd *fds, unsigned count,
	       const struct client *clients);
/* Goes on with the transfers, answers what has ended, and starts what can be. */
void desk_run(struct desk *desk);

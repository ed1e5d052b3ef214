/* Matches requests with answers: a cached one, one that is on its way, or a new transfer.
 *
 *   client --request--> cache: answer
 *                       flight under way with the same key: waits with it
 *                       new flight, within the account's shares (shares.h). It waits for its turn:
 *                       the account with the fewest transfers is next, so that no account keeps the
 *                       others waiting
 *
 * Of each limit an account uses at most as much as it leaves free. A finished flight keeps its
 * answer, and counts, until all clients that wait for it have room for the answer. */
#pragma once

#include "client.h"
#include "request.h"

#include <poll.h>
#include <text/reach.h>

enum {
	DESK_TRANSFERS_MAX = 48,
	DESK_SCOPE_TRANSFERS_MAX = 8, /* for one version of an app */
	DESK_FLIGHTS_MAX = 512,
	DESK_REQUESTS_BYTES_MAX = 33 << 20, /* of the requests, heads and bodies */
	DESK_WAIT_MS = 5000, /* for its turn, and then for the client to read the answer */
	DESK_CACHE_BYTES = 16 << 20,
	DESK_FDS_MAX = 512, /* sockets of transfers */
};

struct desk;

/* allowed and certificates (NULL: the system's) must outlive the desk. Returns NULL if there is no
 * memory. */
struct desk *desk_create(const struct network_list *allowed, const char *certificates)
    __attribute__((warn_unused_result));
void desk_destroy(struct desk *desk);

/* Takes the requests that the client has sent. */
void desk_take(struct desk *desk, struct client *client);
/* Drops the requests of a client that is about to be destroyed. Transfers that have begun continue,
 * since other clients may ask for the same. */
void desk_forget(struct desk *desk, const struct client *client);

/* Waits for one of the count sockets in fds, which has room for DESK_FDS_MAX more, for a transfer,
 * or for the end of a request's waiting time. Does not wait if one of the clients, which are a
 * list, has sent something or can get an answer. */
void desk_wait(const struct desk *desk, struct pollfd *fds, unsigned count,
	       const struct client *clients);
/* Continues the transfers, answers finished ones, and starts new ones. */
void desk_run(struct desk *desk);

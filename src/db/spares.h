/* Connections that are there while they are needed.
 *
 *   asleep --need--> opening --> up --no need for a minute--> asleep
 *
 * Each costs the server a process of some megabytes. Where they are beside one that is always
 * there, and that one is lost and cannot be made again, those that are up are needed until it is
 * back. */
#pragma once

#include "connection.h"

enum { SPARES_MAX = 4 };

struct spares {
	struct loop *loop;
	struct connection *connections[SPARES_MAX];
	unsigned count;
	const struct connection *first; /* the one that they are beside; NULL: there is none */
	uint64_t idle_ms;
	uint64_t needed_ms; /* when one was last needed; loop_now_ms() */
	struct deadline deadline;
};

/* idle_ms: how long none must have been needed before they are closed. */
void spares_init(struct spares *spares, struct loop *loop, uint64_t idle_ms);

/* Adds a connection, whose members the caller has set as for connection_start(). It sleeps. */
void spares_add(struct spares *spares, struct connection *connection);
/* Sets the connection that the on-demand connections are beside. It does not sleep. */
void spares_set_first(struct spares *spares, const struct connection *first);

/* Notes that an on-demand connection is in use, or has come up. */
void spares_use(struct spares *spares);
/* There is work for one more: wakes one, unless one is being opened already. */
void spares_need(struct spares *spares);

/* Each that does not sleep is down, and the first attempt to open it has failed. */
bool spares_are_hopeless(const struct spares *spares);

/* The owner closes the connections. */
void spares_finish(struct spares *spares);

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

struct on_demand {
	struct loop *loop;
	struct connection *connections[SPARES_MAX];
	unsigned count;
	const struct connection *first; /* the one that they are beside; NULL: there is none */
	uint64_t idle_ms;
	uint64_t needed_ms; /* when one was last needed; loop_now_ms() */
	struct deadline deadline;
};

/* idle_ms: how long none must have been needed before they are closed. */
void on_demand_init(struct on_demand *on_demand, struct loop *loop, uint64_t idle_ms);

/* Adds a connection, whose members the caller has set as for connection_start(). It sleeps. */
void on_demand_add(struct on_demand *on_demand, struct connection *connection);
/* Sets the connection that the on-demand connections are beside. It does not sleep. */
void on_demand_set_first(struct on_demand *on_demand, const struct connection *first);

/* Notes that an on-demand connection is in use, or has come up. */
void on_demand_use(struct on_demand *on_demand);
/* There is work for one more: wakes one, unless one is being opened already. */
void on_demand_need(struct on_demand *on_demand);

/* Each that does not sleep is down, and the first attempt to open it has failed. */
bool on_demand_is_hopeless(const struct on_demand *on_demand);

/* The owner closes the connections. */
void on_demand_finish(struct on_demand *on_demand);

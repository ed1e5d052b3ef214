/* On-demand connections: open while they are needed.
 *
 *   asleep --need--> opening --> up --no need for a minute--> asleep
 *
 * Each costs the server a process of some megabytes. If they supplement a permanent connection, and
 * that is lost and cannot be opened again, those that are up are needed until it is back. */
#pragma once

#include "connection.h"

enum { ON_DEMAND_MAX = 4 };

struct on_demand {
	struct loop *loop;
	struct connection *connections[ON_DEMAND_MAX];
	unsigned count;
	const struct connection *first; /* the permanent connection; NULL: none */
	uint64_t idle_ms;
	uint64_t needed_ms; /* when one was last needed; loop_now_ms() */
	struct deadline deadline;
};

/* idle_ms: idle time after which they are closed. */
void on_demand_init(struct on_demand *on_demand, struct loop *loop, uint64_t idle_ms);

/* Adds a sleeping connection, with its members set as for connection_start(). */
void on_demand_add(struct on_demand *on_demand, struct connection *connection);
/* Sets the permanent connection, which never sleeps. */
void on_demand_set_first(struct on_demand *on_demand, const struct connection *first);

/* Notes that an on-demand connection is in use, or has come up. */
void on_demand_use(struct on_demand *on_demand);
/* Call it if there is work for one more: wakes one, unless one is being opened already. */
void on_demand_need(struct on_demand *on_demand);

/* Whether each connection that does not sleep is down, and the first attempt to open it has failed.
 */
bool on_demand_is_hopeless(const struct on_demand *on_demand);

/* Does not close the connections, which the owner does. */
void on_demand_finish(struct on_demand *on_demand);

/* Opens a connection without waiting: tries the servers of the connection string one by one.
 *
 *   turn --its name--> addresses --> libpq --> done, with the connection
 *    ^ `--no name----------------------^ |
 *    `------------------------------ late, or it failed: the next address, the next turn
 *
 * After the last turn done() comes without a connection. */
#pragma once

#include "host_turns.h"
#include "loop/loop.h"

struct opening {
	struct loop *loop;
	struct hosts *hosts;
	const struct hosts_use *use;
	void (*done)(void *context, PGconn *pg);
	void *context;
	struct host_turn turn;
	struct resolution *resolution;
	struct host_addresses addresses; /* addresses of this turn's server */
	unsigned number;		 /* index of the current address */
	PGconn *pg;
	struct poller *poller;
	struct deadline deadline;
	struct hosts_failure failure; /* valid once done() was called without a connection */
};

/* Starts, with the members up to context set. Calls done() once, perhaps inside this call; the
 * connection belongs to done() then. */
void opening_start(struct opening *opening);
/* Stops. done() is not called any more. */
void opening_stop(struct opening *opening);

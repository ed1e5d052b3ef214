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
	struct host_addresses addresses; /* of this turn */
	unsigned number;		 /* of the address at hand */
	PGconn *pg;
	struct poller *poller;
	struct deadline deadline;
	struct hosts_failure failure; /* once done() has come without a connection */
};

/* The caller has set the members up to context. done comes once, perhaps from inside this call; the
 * connection is then the callee's. */
void opening_start(struct opening *opening);
/* done comes no more. */
void opening_stop(struct opening *opening);

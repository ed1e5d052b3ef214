/* Internal parts of a worker's bridge: its socket and messages (bridge_link.c), its leases, begin
 * and end (bridge.c). */
#pragma once

#include "brokers.h"
#include "db/statements.h"
#include "render/bridge.h"
#include "sandboxed.h"

/* Interval of the leases. */
enum { BRIDGE_TICK_MS = 2000 };

struct bridge {
	struct bridge_settings with;
	struct id holder; /* name of this worker */
	struct brokers brokers;
	struct sandboxed *link; /* NULL: none */
	struct list waiting;	/* lines that it has not taken yet, in their order */
	struct deadline again;	/* set while some wait: the next try */
	uint64_t stuck_ms;	/* since when it takes none; 0: it takes them */
	bool is_ready;		/* the process has greeted */
	bool has_greeted;	/* it has greeted once, and its layers are in the log */
	bool is_draining;
	bool is_asking; /* the statement of the lease is under way */
	bool wants_more;
	bool is_telling;
	struct id told_account;	 /* whose state is being written */
	struct mqtt_own_row own; /* the account of --mqtt */
	bool has_own;		 /* the account of --mqtt has its connection */
	bool has_complained;	 /* the log says that there is no such account */
	uint64_t own_from_ms;	 /* earliest time of the next query for the account of --mqtt */
	unsigned idle_turns;	 /* leases in a row without a connection */
	bool may_hold;		 /* a lease was requested, and nothing was given back since */
	struct deadline tick;
	struct deadline lost; /* end of the last lease's connections */
	struct deadline ends; /* end of the next API key that has set up a connection */
	uint64_t asked_ms;    /* time of the request for the last lease */
	uint64_t paused_until_ms;
	struct arena arena, told_arena;
	struct db_query query, told;
	struct hint_subscription hints;
};

/* Prepares the socket's members. */
void bridge_init_link(struct bridge *bridge);
/* Sets the time of the next lease, unless there will be none. */
void bridge_tick_soon(struct bridge *bridge, uint64_t ms);

/* Whether the process of the bridge can be started. */
bool bridge_can_start(const struct bridge *bridge);
/* Starts the process, unless it runs or cannot be started. */
void bridge_start_link(struct bridge *bridge);
/* Closes the socket, if there is one, and ends all of its connections. */
void bridge_drop_link(struct bridge *bridge);
/* Sends a line, now or when the process takes it, and empties the buffer. Takes ownership of the
 * descriptor, unless it is -1. A process that does not read is ended; its connections are opened
 * again. */
void bridge_say(struct bridge *bridge, struct buffer *line, int descriptor);
/* must_forget: the account no longer has a connection. */
void bridge_close_broker(struct bridge *bridge, struct broker *broker, bool must_forget);
/* Writes changed states of brokers, one after the other. */
void bridge_tell_next(struct bridge *bridge);
/* Gives back all leases, unless a statement is under way: then this is called again at its end if
 * still needed. */
void bridge_let_go(struct bridge *bridge);

/* The parts of a worker's bridge: its link and what it says there (bridge_link.c), its leases,
 * beginning and end (bridge.c). */
#pragma once

#include "brokers.h"
#include "db/statements.h"
#include "render/bridge.h"
#include "sandboxed.h"

/* From one lease to the next. */
enum { BRIDGE_TICK_MS = 5000 };

struct bridge {
	struct bridge_settings with;
	struct id holder; /* of this worker */
	struct list brokers;
	struct sandboxed *link; /* NULL: there is none */
	bool is_ready;		/* it has greeted */
	bool has_greeted;	/* once: its layers are in the log */
	bool is_draining;
	bool is_asking; /* the lease */
	bool wants_more;
	bool is_telling;
	struct mqtt_own_row own; /* the account of --mqtt */
	bool has_own;		 /* the account of --mqtt has its connection */
	bool has_complained;	 /* that there is no such account */
	uint64_t own_from_ms;	 /* it is not asked for before */
	unsigned idle_turns;	 /* leases in a row without a connection */
	bool may_hold;		 /* a lease was asked for, and nothing was given back since */
	struct deadline tick;
	struct deadline lost; /* of the last lease: its connections end */
	uint64_t asked_ms;    /* for the last lease */
	uint64_t paused_until_ms;
	struct arena arena, told_arena;
	struct db_query query, told;
	struct hint_subscription hints;
};

/* Sets the time of the next lease, unless there is none any more. */
void bridge_tick_soon(struct bridge *bridge, uint64_t ms);

/* Whether the process of the bridge can be started. */
bool bridge_can_start(const struct bridge *bridge);
/* Starts it, unless it runs or cannot be started. */
void bridge_start_link(struct bridge *bridge);
/* Ends the link, if there is one, and all of its connections. */
void bridge_drop_link(struct bridge *bridge);
/* Takes the line. A process that does not read is ended; its connections are made anew. */
void bridge_say(struct bridge *bridge, struct buffer *line, int descriptor);
/* must_forget: the account wants no connection any more. */
void bridge_close_broker(struct bridge *bridge, struct broker *broker, bool must_forget);
/* Writes the news of brokers, one after the other. */
void bridge_tell_next(struct bridge *bridge);
/* Gives back what leases there may be, if no statement is under way: at its end this is called
 * again where it is still wanted. */
void bridge_let_go(struct bridge *bridge);

/* Sends and receives change hints over a connection of their own, see db/hints.h. A hint is sent
 * after the commit, in a transaction of its own: a NOTIFY in the writing transaction would take a
 * server-wide lock at its commit, until the commit is on the disk (tools/statement_notify.py). The
 * connection also carries this worker's beat, and looks at those of other instances (beats.h):
 * on_heard() is called with the time until which the hints of all are there. */
#pragma once

#include "base/buffer.h"
#include "beats.h"
#include "connection.h"
#include "db/hints.h"

struct hints {
	struct connection connection;
	struct list subscriptions; /* of struct hint_subscription */
	struct db_query query;	   /* the statement that is under way while busy */
	bool busy;
	bool up;
	/* NULL, or called when a connection that was up is lost because the server does not answer.
	 */
	void (*on_silent)(void *context);
	/* NULL, or called four times a second while this worker's row is old: hint_seen.sql. */
	void (*on_unseen)(void *context);
	void *context;
	/* Name of this worker's row; no instance: it has none, and looks at no others. */
	struct id instance;
	int32_t number;
	struct doubts *doubts; /* whose processes it ends */

	uint64_t ended_ms;    /* when it last asked to end one */
	struct backend ended; /* that one */
	struct beats beats;
	unsigned under_way;	/* an enum hint_statement; the last one that was sent */
	unsigned turn;		/* the last one, see hint.c */
	uint64_t asked_ms;	/* when a ping, look or beat was last sent; 0: not yet */
	uint64_t heard_ms;	/* see on_heard() */
	uint64_t seen_ms;	/* when the row's last renewal was sent; 0: never */
	uint64_t beat_again_ms; /* no beat before */
	bool has_clock;		/* of the connection's server, by a look */
	bool has_beaten;	/* on this connection */
	bool has_failed;	/* a NOTIFY failed: the connection is cut */
	bool is_leaving, has_left;
	uint64_t tidied_ms;    /* when the table was last tidied; 0: never */
	struct arena arena;    /* parameters of the statement that is under way */
	struct buffer waiting; /* hints for the next NOTIFY, each followed by a space */
	size_t first_bytes;    /* of these, the ones that were added when the connection came up */
	char payload[8000];    /* payload of the NOTIFY under way */
	uint64_t waiting_us;   /* monotonic: since when the first of them waits; 0: none */
	uint64_t notified_us;  /* waiting_us of the hints in the NOTIFY under way; 0: none */
	uint64_t sent_ms;      /* when the statement that is under way was sent */
	struct deadline ping;
	struct deadline pause; /* set while no NOTIFY may be sent */
};

/* connection: its loop, hosts, survey and session_pooler are taken. Set the members up to doubts
 * before, and zero the rest. */
void hints_start(struct hints *hints, const struct connection *connection);

/* See db_hint(). */
void hints_add(struct hints *hints, struct str word);

/* See db_hint_room(). */
size_t hints_room(const struct hints *hints);

/* Call it at the end of a turn: sends waiting hints. */
void hints_flush(struct hints *hints);

/* Whether no hint waits and no statement is under way. */
bool hints_are_idle(const struct hints *hints);

/* Call it again at the end of each turn until it returns true, once all writes are answered: sends
 * what waits, and tells other instances that this worker changes nothing more. */
bool hints_leave(struct hints *hints);

/* Notes that the row of this worker was renewed by a write that was sent at this time. */
void hints_note_seen(struct hints *hints, uint64_t ms);
/* Whether other instances may have forgotten this worker, so that they would not notice that its
 * hints are missing: until its row is renewed it must not write. */
bool hints_are_forgotten(const struct hints *hints);

/* Ends the hints. Calls nothing afterwards. */
void hints_close(struct hints *hints);

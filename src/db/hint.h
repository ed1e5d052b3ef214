/* Sends and receives change hints over a connection of their own, see db/hints.h. A hint is sent
 * after the commit, in a transaction of its own: a NOTIFY in the writing transaction would take a
 * server-wide lock at its commit, until the commit is on the disk (tools/statement_notify.py). */
#pragma once

#include "base/buffer.h"
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
	void *context;
	struct buffer waiting; /* hints for the next NOTIFY, each followed by a space */
	char payload[8000];    /* payload of the NOTIFY under way */
	uint64_t waiting_us;   /* monotonic: since when the first of them waits; 0: none */
	uint64_t notified_us;  /* waiting_us of the hints in the NOTIFY under way; 0: none */
	uint64_t sent_ms;      /* when the statement that is under way was sent */
	struct deadline ping;
	struct deadline pause; /* set while no NOTIFY may be sent */
};

/* connection: its loop, hosts, survey and session_pooler are taken. Set on_silent and context
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

/* Ends the hints. Calls nothing afterwards. */
void hints_close(struct hints *hints);

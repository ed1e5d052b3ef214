/* Sends and receives change hints over a connection of their own, see db/hints.h. A hint is sent
 * after the commit and by itself: a NOTIFY in the transaction that writes would take a lock of the
 * whole server at its commit. */
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
	/* NULL, or called when the connection was up and is lost because nothing is answered. */
	void (*on_silent)(void *context);
	void *context;
	struct buffer waiting; /* hints for the next NOTIFY, a space behind each */
	char payload[8000];    /* of the NOTIFY that is under way */
	uint64_t waiting_us;   /* monotonic, since when the first of them waits; 0: none does */
	uint64_t notified_us;  /* the same of those of the NOTIFY under way; 0: there is none */
	uint64_t sent_ms;      /* when the statement that is under way was sent */
	struct deadline ping;
	struct deadline pause; /* set while no NOTIFY may be sent */
};

/* loop and hosts must outlive the hints. The caller has set on_silent and context, and zeroed the
 * rest.
 */
void hints_start(struct hints *hints, struct loop *loop, struct hosts *hosts, bool session_pooler);

/* See db_hint(). */
void hints_add(struct hints *hints, struct str word);

/* See db_hint_room(). */
size_t hints_room(const struct hints *hints);

/* At the end of a turn: sends the hints that wait. */
void hints_flush(struct hints *hints);

/* No hint waits and no statement is under way. */
bool hints_are_idle(const struct hints *hints);

/* Calls nothing afterwards. */
void hints_close(struct hints *hints);

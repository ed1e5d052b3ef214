/* Hints: short words that every worker of every instance hears, over a connection of their own. */
#pragma once

#include "base/buffer.h"
#include "connection.h"
#include "db/hints.h"

struct hints {
	struct connection connection;
	struct list subscriptions; /* of struct hint_subscription */
	struct db_query query;	   /* the one statement under way, while busy */
	bool busy;
	bool up;
	struct buffer waiting; /* words for the next NOTIFY, a space behind each */
	char payload[8000];    /* of the one under way */
	struct deadline ping;
	struct deadline pause; /* set while no NOTIFY may be sent */
};

/* loop and url stay valid. */
void hints_start(struct hints *hints, struct loop *loop, const char *url);

/* See db_hint(). */
void hints_add(struct hints *hints, struct str word);

/* At the end of a turn: sends what waits. */
void hints_flush(struct hints *hints);

/* Nothing waits, nothing is under way. */
bool hints_are_idle(const struct hints *hints);

/* Nothing is called afterwards. */
void hints_close(struct hints *hints);

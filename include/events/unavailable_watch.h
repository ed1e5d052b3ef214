/* Whether the database is unavailable, as open streams were told: while no hints come, what they
 * show may be old. */
#pragma once

#include "db/db.h"

/* The caller sets loop, db and on_change of a zeroed one, and calls init. */
struct unavailable_watch {
	struct loop *loop;
	struct db *db;
	/* It has gone, or has come back with all its connections: streams that are told so ask for
	 * all they show. */
	void (*on_change)(struct unavailable_watch *watch, bool is_unavailable);
	bool is_unavailable; /* at first it is */
	bool has_ended;
	struct deadline look_again; /* set while it may be back */
};

void unavailable_watch_init(struct unavailable_watch *watch);
/* To be called when a subscriber of hints hears it. */
void unavailable_watch_on_up(struct unavailable_watch *watch, bool up);
/* It does not come back from now on. */
void unavailable_watch_drain(struct unavailable_watch *watch);

/* Tracks whether the database is unavailable, as reported to open streams: while no hints arrive,
 * streams may show old state. */
#pragma once

#include "db/db.h"

/* Set loop, db and on_change of a zeroed struct, then call unavailable_watch_init(). */
struct unavailable_watch {
	struct loop *loop;
	struct db *db;
	/* Called when the database became unavailable, or is back with all connections: then
	 * streams must read again everything that they show. */
	void (*on_change)(struct unavailable_watch *watch, bool is_unavailable);
	bool is_unavailable; /* initially true */
	bool has_ended;
	struct deadline look_again; /* set while it may be back */
};

void unavailable_watch_init(struct unavailable_watch *watch);
/* Call it from on_up() of a hint subscription. */
void unavailable_watch_on_up(struct unavailable_watch *watch, bool up);
/* Reports no change from now on. */
void unavailable_watch_drain(struct unavailable_watch *watch);

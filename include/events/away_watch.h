/* Whether the database is away, as open streams were told: while no hints come, what they show may
 * be old. */
#pragma once

#include "db/db.h"

/* The caller sets loop, db and on_change of a zeroed one, and calls init. */
struct away_watch {
	struct loop *loop;
	struct db *db;
	/* It has gone, or has come back with all its connections: streams that are told so ask for
	 * all they show. */
	void (*on_change)(struct away_watch *watch, bool is_away);
	bool is_away; /* at first it is */
	bool has_ended;
	struct deadline look_again; /* set while it may be back */
};

void away_watch_init(struct away_watch *watch);
/* To be called when a subscriber of hints hears it. */
void away_watch_on_up(struct away_watch *watch, bool up);
/* It does not come back from now on. */
void away_watch_drain(struct away_watch *watch);

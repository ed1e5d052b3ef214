/* What the log says of a connection: that it was made or lost, once. */
#pragma once

#include "base/str.h"
#include "db/away.h"

/* Zero-initialized before the first line. */
struct connection_log {
	bool reported_up;	 /* the last line said that it is up */
	bool reported_down;	 /* the last line said that it is down, */
	enum away reported_away; /* for this reason */
};

/* It is up (AWAY_NOT), or it was lost or an attempt failed for that reason, which the words
 * describe. What was said before is said at the level debug, except for another reason that does
 * not pass by itself. */
void connection_log(struct connection_log *log, const char *role, unsigned number, enum away away,
		    struct str words);

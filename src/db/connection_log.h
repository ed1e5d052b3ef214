/* Logs that a connection was made or lost, once. */
#pragma once

#include "db/away.h"

#include <text/str.h>

/* Zero-initialized before the first line. */
struct connection_log {
	bool reported_up;	 /* the last line said that it is up */
	bool reported_down;	 /* the last line said that it is down, */
	enum away reported_away; /* for this reason */
};

/* Logs that the connection is up (AWAY_NOT), or that it was lost or an attempt failed for this
 * reason, which the words describe. A repeated state is logged at level debug, except with a
 * different reason that does not pass by itself. */
void connection_log(struct connection_log *log, const char *role, unsigned number, enum away away,
		    struct str words);

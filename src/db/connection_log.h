/* Logs that a connection was made or lost, once. */
#pragma once

#include "db/unavailable.h"

#include <text/str.h>

/* Zero-initialized before the first line. */
struct connection_log {
	bool reported_up;		       /* the last line reported that it is up */
	bool reported_down;		       /* the last line reported that it is down */
	enum unavailable reported_unavailable; /* with this reason */
};

/* Logs that the connection is up (UNAVAILABLE_NOT), or that it was lost or an attempt failed for
 * this reason, which the words describe. A repeated state is logged at level debug, except with a
 * different reason that does not pass by itself. */
void connection_log(struct connection_log *log, const char *role, unsigned number,
		    enum unavailable unavailable, struct str words);

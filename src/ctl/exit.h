/* Exit codes of displayctl's commands. */
#pragma once

enum ctl_exit {
	CTL_DONE = 0,
	CTL_FAILED = 1,	   /* unexpected error */
	CTL_USAGE = 2,	   /* invalid flag or value */
	CTL_NOT_FOUND = 3, /* the object of the command does not exist */
	CTL_REFUSED = 4,   /* exists already, forbidden by a constraint, or not confirmed */
	CTL_DATABASE = 5,  /* no server, or the database is unreachable, not migrated or full */
};

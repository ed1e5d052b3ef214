/* Exit codes of displayctl's commands. */
#pragma once

enum ctl_exit {
	CTL_DONE = 0,
	CTL_FAILED = 1,	   /* something unforeseen */
	CTL_USAGE = 2,	   /* flags, or a value that is not valid */
	CTL_NOT_FOUND = 3, /* what the command is about does not exist */
	CTL_REFUSED = 4, /* it exists already, is forbidden by a constraint, or was not confirmed */
	CTL_DATABASE = 5, /* cannot be reached, is not migrated, or has no room */
};

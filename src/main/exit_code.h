/* Exit codes of displayd. --help lists them. */
#pragma once

enum exit_code {
	EXIT_DONE = 0,		 /* stopped as it was asked to */
	EXIT_FAILED = 1,	 /* something unforeseen */
	EXIT_CONFIG = 2,	 /* flag, variable or configuration file; root without its users */
	EXIT_LISTEN = 3,	 /* an address is taken or not to be had */
	EXIT_STATE_DIR = 4,	 /* not usable, or another server has it */
	EXIT_DATABASE = 5,	 /* does not start, or cannot be reached */
	EXIT_MIGRATION = 6,	 /* a migration failed */
	EXIT_DATABASE_NEWER = 7, /* than this displayd */
	EXIT_CRASHES = 8,	 /* workers crash before they are ready, again and again */
};

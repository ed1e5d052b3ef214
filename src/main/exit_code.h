/* Exit codes of displayd. --help lists them. */
#pragma once

enum exit_code {
	EXIT_DONE = 0,		 /* stopped on request */
	EXIT_FAILED = 1,	 /* unexpected failure */
	EXIT_CONFIG = 2,	 /* flag, variable or configuration file; root without its users */
	EXIT_LISTEN = 3,	 /* an address is in use or not available */
	EXIT_STATE_DIR = 4,	 /* not usable, or used by another server */
	EXIT_DATABASE = 5,	 /* cannot be started or reached */
	EXIT_MIGRATION = 6,	 /* a migration failed */
	EXIT_DATABASE_NEWER = 7, /* newer than this displayd */
	EXIT_CRASHES = 8,	 /* workers crash before they are ready, again and again */
	EXIT_NO_POSTGRESQL = 9,	 /* PostgreSQL is not installed in a fitting version */
};

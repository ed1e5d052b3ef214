/* The servers that a connection string names, one by one: its hosts, and the addresses of their
 * names. libpq's connect_timeout does not count for who connects without waiting, so one that does
 * not answer would never be passed over. Here each has 2 s, and the one that was good last comes
 * first.
 *
 *   host=a,b port=1,2     hostaddr, one port for all, and PGHOST, PGHOSTADDR, PGPORT likewise
 *   target_session_attrs  a server that does not fit is passed over
 *                         (prefer-standby takes two rounds)
 *   load_balance_hosts    random: begins with any of them
 *
 * A service, and lists that do not match, are left to libpq as one server. Not thread-safe. */
#pragma once

#include "db/unavailable.h"

#include <libpq-fe.h>

enum {
	HOSTS_EACH_MS = 2 * 1000, /* of several */
	HOSTS_ONLY_MS = 5 * 1000, /* where there is no other one */
};

struct hosts;

/* Settings of a program, beside the connection string. */
struct hosts_use {
	/* Keywords and values in turn, NULL at the end: defaults that the string overrides. */
	const char *const *settings;
	bool has_sqlstates; /* errors have SQLSTATEs, for unavailable_from_error() */
};

/* For programs that connect once: of the name, to any server of the string, or to one that takes
 * writes. */
#define HOSTS_USE(name)                                                                            \
	((const struct hosts_use){.settings =                                                      \
				      (const char *const[]){"application_name", (name), NULL}})
#define HOSTS_USE_TO_WRITE(name)                                                                   \
	((const struct hosts_use){.settings = (const char *const[]){"application_name", (name),    \
								    "target_session_attrs",        \
								    "read-write", NULL}})

struct hosts_failure {
	enum unavailable unavailable;
	char words[UNAVAILABLE_WORDS_BYTES]; /* libpq's first line */
};

/* NULL: url is not a connection string. */
struct hosts *hosts_create(const char *url);
/* NULL is fine. */
void hosts_destroy(struct hosts *hosts);

/* Connects, and waits: for each server no longer than the times above, besides what the system's
 * resolver takes for its name. NULL with the failure that says most: one that does not pass by
 * itself, else the first one. */
PGconn *hosts_connect(struct hosts *hosts, const struct hosts_use *use,
		      struct hosts_failure *ret_failure) __attribute__((warn_unused_result));
/* The same for a single connection: UNAVAILABLE_SETTINGS if url is not a connection string. */
PGconn *hosts_connect_once(const char *url, const struct hosts_use *use,
			   struct hosts_failure *ret_failure) __attribute__((warn_unused_result));

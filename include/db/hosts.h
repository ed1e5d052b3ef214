/* The servers that a connection string names, one by one: its hosts, and the addresses of their
 * names. libpq ignores connect_timeout in non-blocking connections, so a server that does not
 * answer would never be skipped. Here each server has 2 s, and the last one that worked comes
 * first.
 *
 *   host=a,b port=1,2     also hostaddr, one port for all, PGHOST, PGHOSTADDR, PGPORT
 *   target_session_attrs  a server that does not fit is skipped
 *                         (prefer-standby takes two rounds)
 *   load_balance_hosts    random: begins with a random one
 *
 * A service, and lists of different lengths, are left to libpq as one server. Not thread-safe. */
#pragma once

#include "db/unavailable.h"

#include <libpq-fe.h>

enum {
	HOSTS_EACH_MS = 2 * 1000, /* each of several servers */
	HOSTS_ONLY_MS = 5 * 1000, /* the only server */
};

struct hosts;

/* Settings of a program, in addition to the connection string. */
struct hosts_use {
	/* Keywords and values in turn, NULL at the end: defaults that the string overrides. */
	const char *const *settings;
	bool has_sqlstates; /* show SQLSTATEs in errors, for unavailable_from_error() */
};

/* Settings for programs that connect once, as application_name, to any server of the string, or
 * only to one that takes writes. */
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

/* Returns NULL if url is not a connection string. Free with hosts_destroy(). */
struct hosts *hosts_create(const char *url);
/* NULL is allowed. */
void hosts_destroy(struct hosts *hosts);

/* Connects, blocking: for each server no longer than the times above, plus the system's resolver's
 * time for its name. Returns NULL with the most useful failure: one that does not pass by itself,
 * else the first one. */
PGconn *hosts_connect(struct hosts *hosts, const struct hosts_use *use,
		      struct hosts_failure *ret_failure) __attribute__((warn_unused_result));
/* Works as hosts_connect(), for a single connection: UNAVAILABLE_SETTINGS if url is not a
 * connection string. */
PGconn *hosts_connect_once(const char *url, const struct hosts_use *use,
			   struct hosts_failure *ret_failure) __attribute__((warn_unused_result));

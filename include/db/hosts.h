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
 * If there are several, all are asked before one is used, and a server that was replaced is used no
 * more (db/timeline.h).
 *
 * A service, and lists of different lengths, are left to libpq as one server. Not thread-safe. */
#pragma once

#include "db/timeline.h"
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
 * only to a primary one, which may be set to be read-only. */
#define HOSTS_USE(name)                                                                            \
	((const struct hosts_use){.settings =                                                      \
				      (const char *const[]){"application_name", (name), NULL}})
#define HOSTS_USE_OF_PRIMARY(name)                                                                 \
	((const struct hosts_use){.settings = (const char *const[]){"application_name", (name),    \
								    "target_session_attrs",        \
								    "primary", NULL}})

struct hosts_failure {
	enum unavailable unavailable;
	char words[UNAVAILABLE_WORDS_BYTES]; /* libpq's first line */
};

/* Returns NULL if url is not a connection string. Free with hosts_destroy(). */
struct hosts *hosts_create(const char *url);
/* NULL is allowed. */
void hosts_destroy(struct hosts *hosts);
/* Compares servers with this timeline from now on, which must outlive the hosts. Before, with one
 * of their own, which begins unknown. */
void hosts_fence(struct hosts *hosts, struct timeline_known *known);

/* Whether all servers can be asked for their timelines: there are several, libpq does not choose
 * among them, and no standby is preferred. */
bool hosts_are_fenced(const struct hosts *hosts);
/* Asks all servers side by side, blocking: 2 s, plus the system's resolver's time for their names.
 * The writable one with the highest timeline gets the first turn. Returns false if there is none,
 * or only one that was replaced or is of another system. */
bool hosts_ask(struct hosts *hosts, struct timeline *ret);

/* Connects, blocking: for each server no longer than the times above, plus the system's resolver's
 * time for its name. Returns NULL with the most useful failure: one that does not pass by itself,
 * else the first one. */
PGconn *hosts_connect(struct hosts *hosts, const struct hosts_use *use,
		      struct hosts_failure *ret_failure) __attribute__((warn_unused_result));
/* Works as hosts_connect(), for a single connection: UNAVAILABLE_SETTINGS if url is not a
 * connection string. known: see hosts_fence(); NULL: nothing is known. */
PGconn *hosts_connect_once(const char *url, const struct hosts_use *use,
			   struct timeline_known *known, struct hosts_failure *ret_failure)
    __attribute__((warn_unused_result));

/* Why there is no connection to the database, as one of a few reasons that a person can act on. The
 * log has libpq's own words beside it; /readyz, which strangers may read, has the reason alone. */
#pragma once

#include <libpq-fe.h>
#include <stdbool.h>
#include <stddef.h>

enum away {
	AWAY_NOT,
	AWAY_CLOSED,	  /* its port or socket */
	AWAY_UNKNOWN,	  /* its host's name */
	AWAY_SILENT,	  /* no answer in time, or no way there */
	AWAY_STARTING,	  /* or stopping, or recovering */
	AWAY_FULL,	  /* of connections */
	AWAY_READ_ONLY,	  /* a standby, or one that was told to be */
	AWAY_ENDED,	  /* a connection that had been made */
	AWAY_OTHER,	  /* the last one of those that may pass by themselves */
	AWAY_CERTIFICATE, /* the server's, ours, or TLS itself */
	AWAY_PASSWORD,
	AWAY_REFUSED,	  /* this role from here, or one of its rights */
	AWAY_SHUT,	  /* its socket, to this user of the system */
	AWAY_NO_DATABASE, /* of this name */
	AWAY_SETTINGS,	  /* of the connection: libpq has not tried */
	AWAY_SCHEMA,	  /* not the one that this program's statements are for */
	AWAY_POOLER,	  /* there is one, and nothing has allowed it */
	AWAY_SHARED,	  /* sessions: the pooler gives one to several clients */
	AWAY_KEY,	  /* another key for secret settings is in use there */
};

/* Text that follows "the database cannot be reached: ". */
const char *away_text(enum away away);

/* Waiting may help: nobody has to change a setting. */
bool away_may_pass(enum away away);

/* Meaning of libpq's error text. The SQLSTATE in it counts first, if PQERRORS_VERBOSE has put one;
 * else libpq's own words do, which are English, since no program here sets a locale. was_open: the
 * connection had been made. */
enum away away_from_error(const char *text, bool was_open);

/* Meaning of the SQLSTATE of a statement that failed while a connection was prepared. */
enum away away_from_sqlstate(const char *sqlstate);

/* Whether something stands between this connection and the server, which says that it runs in the
 * process backend_pid: the server's own connections tell the same to libpq. */
bool away_is_pooled(const PGconn *pg, const char *backend_pid);

enum { AWAY_WORDS_BYTES = 300 };

struct hosts;

/* Connects as workers do (db/hosts.h), but by the name application_name. Returns the connection, or
 * NULL with the reason: workers could not connect either. ret_words has one line for the log then;
 * no password is in it. This call blocks, also in the system's resolver. */
__attribute__((warn_unused_result)) PGconn *away_try(struct hosts *hosts, bool session_pooler,
						     const char *application_name,
						     enum away *ret_away,
						     char ret_words[static AWAY_WORDS_BYTES]);

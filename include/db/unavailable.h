/* Why there is no connection to the database, as one of a few reasons that a person can act on. The
 * log has libpq's own words beside it; /readyz, which strangers may read, has the reason alone. */
#pragma once

#include <libpq-fe.h>
#include <stdbool.h>
#include <stddef.h>

enum unavailable {
	UNAVAILABLE_NOT,
	UNAVAILABLE_CLOSED,	 /* its port or socket */
	UNAVAILABLE_UNKNOWN,	 /* its host's name */
	UNAVAILABLE_SILENT,	 /* no answer in time, or no way there */
	UNAVAILABLE_STARTING,	 /* or stopping, or recovering */
	UNAVAILABLE_FULL,	 /* of connections */
	UNAVAILABLE_READ_ONLY,	 /* a standby, or one that was told to be */
	UNAVAILABLE_ENDED,	 /* a connection that had been made */
	UNAVAILABLE_OTHER,	 /* the last one of those that may pass by themselves */
	UNAVAILABLE_CERTIFICATE, /* the server's, ours, or TLS itself */
	UNAVAILABLE_PASSWORD,
	UNAVAILABLE_REFUSED,	 /* this role from here, or one of its rights */
	UNAVAILABLE_SHUT,	 /* its socket, to this user of the system */
	UNAVAILABLE_NO_DATABASE, /* of this name */
	UNAVAILABLE_SETTINGS,	 /* of the connection: libpq has not tried */
	UNAVAILABLE_SCHEMA,	 /* not the one that this program's statements are for */
	UNAVAILABLE_POOLER,	 /* there is one, and nothing has allowed it */
	UNAVAILABLE_SHARED,	 /* sessions: the pooler gives one to several clients */
	UNAVAILABLE_KEY,	 /* another key for secret settings is in use there */
};

/* Text that follows "the database cannot be reached: ". */
const char *unavailable_text(enum unavailable unavailable);

/* Waiting may help: nobody has to change a setting. */
bool unavailable_may_pass(enum unavailable unavailable);

/* Meaning of libpq's error text. The SQLSTATE in it counts first, if PQERRORS_VERBOSE has put one;
 * else libpq's own words do, which are English, since no program here sets a locale. was_open: the
 * connection had been made. */
enum unavailable unavailable_from_error(const char *text, bool was_open);

/* Meaning of the SQLSTATE of a statement that failed while a connection was prepared. */
enum unavailable unavailable_from_sqlstate(const char *sqlstate);

/* Whether something stands between this connection and the server, which says that it runs in the
 * process backend_pid: the server's own connections tell the same to libpq. */
bool unavailable_is_pooled(const PGconn *pg, const char *backend_pid);

enum { UNAVAILABLE_WORDS_BYTES = 300 };

struct hosts;

/* Connects as workers do (db/hosts.h), but by the name application_name. Returns the connection, or
 * NULL with the reason: workers could not connect either. ret_words has one line for the log then;
 * no password is in it. This call blocks, also in the system's resolver. */
__attribute__((warn_unused_result)) PGconn *
unavailable_try(struct hosts *hosts, bool session_pooler, const char *application_name,
		enum unavailable *ret_unavailable, char ret_words[static UNAVAILABLE_WORDS_BYTES]);

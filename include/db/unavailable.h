/* Why there is no connection to the database, as one of a few reasons that a person can act on. The
 * log has libpq's own words, too; /readyz, which is public, has only the reason. */
#pragma once

#include <libpq-fe.h>
#include <stdbool.h>
#include <stddef.h>

enum unavailable {
	UNAVAILABLE_NOT,
	UNAVAILABLE_CLOSED,	  /* nothing listens on its port or socket */
	UNAVAILABLE_UNKNOWN,	  /* its host's name cannot be resolved */
	UNAVAILABLE_SILENT,	  /* no answer in time, or no route */
	UNAVAILABLE_STARTING,	  /* starting, stopping or recovering */
	UNAVAILABLE_FULL,	  /* no free connections */
	UNAVAILABLE_READ_ONLY,	  /* a standby, or set to be read-only */
	UNAVAILABLE_REPLACED,	  /* an old primary: another server has a newer timeline */
	UNAVAILABLE_OTHER_SYSTEM, /* not the system that was used before */
	UNAVAILABLE_ENDED,	  /* an open connection ended */
	UNAVAILABLE_OTHER,	  /* the last reason that may pass by itself */
	UNAVAILABLE_CERTIFICATE,  /* the server's certificate, ours, or TLS itself */
	UNAVAILABLE_PASSWORD,
	UNAVAILABLE_REFUSED,	 /* this role may not connect from here, or lacks a right */
	UNAVAILABLE_SHUT,	 /* this system user may not open its socket */
	UNAVAILABLE_NO_DATABASE, /* no database of this name */
	UNAVAILABLE_SETTINGS,	 /* invalid connection settings: libpq did not try */
	UNAVAILABLE_SCHEMA,	 /* the schema does not fit this program's statements */
	UNAVAILABLE_POOLER,	 /* a pooler, without the setting that allows it */
	UNAVAILABLE_SHARED,	 /* the pooler shares a session among clients */
	UNAVAILABLE_KEY,	 /* the database has another key for secret settings */
};

/* Text that follows "the database cannot be reached: ". */
const char *unavailable_text(enum unavailable unavailable);

/* Whether waiting may help, without a change of settings. */
bool unavailable_may_pass(enum unavailable unavailable);

/* Classifies libpq's error text: by its SQLSTATE, if PQERRORS_VERBOSE has added one; else by
 * libpq's own words, which are English since no program here sets a locale. was_open: the
 * connection was open before. */
enum unavailable unavailable_from_error(const char *text, bool was_open);

/* Classifies the SQLSTATE of a statement that failed while a connection was prepared. */
enum unavailable unavailable_from_sqlstate(const char *sqlstate);

/* Whether there is a pooler between this connection and the server: then backend_pid, the server's
 * answer to pg_backend_pid(), differs from the process ID that libpq got. */
bool unavailable_is_pooled(const PGconn *pg, const char *backend_pid);

enum { UNAVAILABLE_WORDS_BYTES = 300 };

struct hosts;

/* Connects as workers do (db/hosts.h), but with this application_name. Returns the connection, or
 * NULL with the reason why workers could not connect either; ret_words is one line for the log
 * then, without passwords. Blocks, also in the system's resolver. */
__attribute__((warn_unused_result)) PGconn *
unavailable_try(struct hosts *hosts, bool session_pooler, const char *application_name,
		enum unavailable *ret_unavailable, char ret_words[static UNAVAILABLE_WORDS_BYTES]);

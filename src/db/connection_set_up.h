/* Makes a new connection and prepares it for use: sends settings and, if requested, all its
 * statements, in one pipeline. */
#pragma once

#include "db/hosts.h"
#include "db/statement.h"
#include "writer_slots.h"

#include <libpq-fe.h>
#include <stdint.h>

struct set_up {
	PGconn *pg;
	const struct statement_entry *statements;
	unsigned statement_count;
	enum statement_effect effect; /* only statements with this effect are prepared */
	bool prepares_none;	      /* statements are prepared at their first use */
	bool is_apart;		      /* or those that have a connection of their own */
	const char *first;	      /* a statement to begin with, or NULL */
	/* Fingerprint of the key for secret settings, which the database must accept. NULL: not
	 * checked. */
	const uint8_t *key_fingerprint;
	struct hosts *hosts; /* its timeline is compared with those of the others */
	bool asks_timeline;
	struct timeline timeline;     /* the server's, if it was asked */
	bool session_pooler;	      /* a pooler in session mode may be in between */
	struct backend backend;	      /* process of the server, once all answers are there */
	unsigned result_count;	      /* results that have arrived */
	enum unavailable unavailable; /* why it failed */
	char reason[200];	      /* reason in words */
};

/* Settings of the workers' connections. */
extern const struct hosts_use set_up_use;

/* Sends settings and statements, with the members up to first set. Returns 0, or -EIO with a
 * reason. */
__attribute__((warn_unused_result)) int set_up_begin(struct set_up *set_up);

/* Reads the answers that have arrived. Returns 1 if all are there, 0 if more will come, or -EIO
 * with a reason if one failed. */
__attribute__((warn_unused_result)) int set_up_receive(struct set_up *set_up);

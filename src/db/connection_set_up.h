/* Makes a new connection and prepares it for use: sends settings and, if it is wanted, all its
 * statements, in one pipeline. */
#pragma once

#include "db/hosts.h"
#include "db/statement.h"

#include <libpq-fe.h>
#include <stdint.h>

struct set_up {
	PGconn *pg;
	const struct statement_entry *statements;
	unsigned statement_count;
	enum statement_effect effect; /* only statements with this effect are prepared */
	bool prepares_none;	      /* they are prepared when they are used first */
	bool is_apart;		      /* or those that have a connection of their own */
	const char *first;	      /* a statement to begin with, or NULL */
	/* Fingerprint of the key for secret settings, which the database has to admit. NULL: do not
	 * ask the database. */
	const uint8_t *key_fingerprint;
	bool session_pooler;	      /* one may stand between us and the server */
	unsigned result_count;	      /* how many have arrived */
	enum unavailable unavailable; /* why it failed */
	char reason[200];	      /* the same in words */
};

/* Settings of the workers' connections. */
extern const struct hosts_use set_up_use;

/* The caller has set the members up to first. Sends settings and statements. 0, or -EIO with a
 * reason. */
__attribute__((warn_unused_result)) int set_up_begin(struct set_up *set_up);

/* Reads the answers that have arrived. 1: all are there; 0: more will come; -EIO: one failed, with
 * a reason. */
__attribute__((warn_unused_result)) int set_up_receive(struct set_up *set_up);

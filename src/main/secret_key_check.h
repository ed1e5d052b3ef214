/* Compares the key for secret settings with the database's key. A server that starts with another
 * one would show no secret setting, and store new ones that no other instance can read.
 *
 *   site.secret_key_fingerprint is that of the key        -> it fits
 *                               is another one:
 *     another instance with another key is running        -> refused
 *     no secret of any kind is stored                     -> it fits, and is stored
 *     secrets are stored                                  -> refused
 *                               was never written:
 *     another instance with another key is running        -> refused
 *     no secret of any kind is stored: a new database     -> it fits, and is stored
 *     the key decrypts one of them                        -> it fits, and is stored
 *     it decrypts none                                    -> refused
 *
 * Kinds: sql/query/ctl/secrets_newest.sql.
 *
 * While a server runs, its connections hold a lock that keeps instances with another key out (see
 * db/db.h). */
#pragma once

#include "domain/secret_settings.h"
#include "main/reason.h"

#include <libpq-fe.h>

/* Source of the key, for the text of a reason. */
struct secret_key_location {
	const char *state_dir;
	const char *file; /* file of --secret-key-file, or NULL */
	bool is_new;	  /* it was missing, and was made just now */
};

enum secret_key_check {
	SECRET_KEY_FITS,
	SECRET_KEY_REFUSED, /* with a reason that names the remedy */
	SECRET_KEY_FAILED,  /* the database failed, with a reason */
};

/* Checks the key; blocks. From then on the connection holds the lock. The schema must be up to
 * date. */
enum secret_key_check secret_key_check(PGconn *connection, const struct settings_key *key,
				       const struct secret_key_location *location,
				       struct reason *reterr);

/* Stores the key's fingerprint in the database, unless another instance runs with another key. No
 * other transaction may be under way on the connection. */
enum secret_key_check secret_key_accept(PGconn *connection, const struct settings_key *key,
					struct reason *reterr);

/* The schema and its migrations, embedded. sql/schema makes the tables of an empty database, as the
 * migrations did that it replaces; sql/migration/NNNN_name.sql has those that came later: forward
 * only, each in one transaction.
 *
 * The table schema_migration holds the number, name, SHA-256 of the text and time of each. They run
 * under an advisory lock, so that any number of instances may start at once. The calls block: the
 * supervisor makes them before the workers start; displayctl makes them, too. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct pg_conn; /* libpq's PGconn */

enum { MIGRATE_DIGITS = 64 };

/* The advisory lock that an instance holds while it migrates, and a backup shares. The number is
 * arbitrary, but no other program should use it: it is "displayd" in ASCII. */
#define MIGRATE_LOCK_KEY "7235441203039271268"

struct migration {
	int number;
	const char *name;
	const char
	    *sha256; /* in hexadecimal digits, of a text that the schema replaces; NULL: of text */
	const char *text; /* NULL: a later one does its work; that of the last such is the schema */
};

extern const struct migration migrations[];
extern const size_t migration_count;

enum migrate_fault {
	MIGRATE_FAILED,
	MIGRATE_UNAVAILABLE, /* no connection to the database */
	MIGRATE_NEWER,	     /* the database is ahead of this binary */
	MIGRATE_OLDER,	     /* some of the migrations that the schema replaces are missing */
	MIGRATE_FOREIGN,     /* another program uses the database */
};

struct timeline_known;

struct migrate_error {
	char text[512]; /* one sentence */
	enum migrate_fault fault;
};

/* Applies the migrations that are missing. Returns 0, or -1 with a sentence: there is no
 * connection, a migration failed, the database is newer than this binary or older than the schema,
 * an applied migration had another text, or another program's tables are where displayd's would be
 * made. known: see hosts_connect_once(). */
__attribute__((warn_unused_result)) int migrate_run(const char *url, struct timeline_known *known,
						    int *ret_applied, struct migrate_error *reterr);

/* Works as migrate_run(), over a connection of the caller, which stays open. */
__attribute__((warn_unused_result)) int migrate_over(struct pg_conn *pg, int *ret_applied,
						     struct migrate_error *reterr);

/* Reads the number of migrations that the database of this connection has; the number is 0 if it
 * has no tables of displayd. A database that is too old is an error. Returns 0, or -1 with a
 * sentence, as migrate_run(). */
__attribute__((warn_unused_result)) int migrate_read(struct pg_conn *pg, unsigned *ret_applied,
						     struct migrate_error *reterr);

/* Returns the number of the last migration that the schema replaces: databases and backups with
 * fewer are too old. */
unsigned migrate_oldest(void);

/* Applies the missing migrations up to this one, at least migrate_oldest(), within the open
 * transaction of this connection. Instances that start meanwhile wait for its end. Returns 0, or -1
 * with a sentence. */
__attribute__((warn_unused_result)) int migrate_within(struct pg_conn *pg, unsigned number,
						       struct migrate_error *reterr);

/* Writes a hash of the texts of the migrations up to this one, to distinguish them from others. */
void migrate_fingerprint(unsigned number, char ret_digits[static MIGRATE_DIGITS + 1]);

/* Whether a migration makes an object of this kind ("TABLE", "FUNCTION", "SEQUENCE") and name.
 * Other objects of the database are not displayd's. */
bool migrate_makes(const char *kind, const char *name);

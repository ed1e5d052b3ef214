/* Migrations: sql/migration/NNNN_name.sql, embedded, forward only, each in one transaction.
 *
 * The table schema_migration holds the number, name, SHA-256 of the text and time of each. They run
 * under an advisory lock, so that any number of instances may start at once. The calls block: the
 * supervisor makes them before the workers start, and so does displayctl. */
#pragma once

#include <stddef.h>

struct migration {
	int number;
	const char *name;
	const char *text;
};

extern const struct migration migrations[];
extern const size_t migration_count;

enum migrate_fault {
	MIGRATE_FAILED,
	MIGRATE_AWAY,  /* no connection to the database */
	MIGRATE_NEWER, /* the database is ahead of this binary */
};

struct migrate_error {
	char text[512]; /* one sentence */
	enum migrate_fault fault;
};

/* Applies the migrations that are missing. 0; or -1 with a sentence: there is no connection, a
 * migration failed, the database is newer than this binary, or an applied migration had another
 * text. */
__attribute__((warn_unused_result)) int migrate_run(const char *url, int *ret_applied,
						    struct migrate_error *reterr);

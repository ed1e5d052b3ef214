/* Migrations: sql/migration/NNNN_name.sql, embedded, forward only, each in one transaction.
 *
 * Table schema_migration holds number, name, SHA-256 of the text and the time. Runs under an
 * advisory lock, so that any number of instances may start at once. Blocking: called before the
 * workers start, and by displayctl. */
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

/* Applies what is missing. 0; or -1 with a sentence: cannot connect, a migration failed, the
 * database is newer than this binary, a migration that was applied had another text. */
__attribute__((warn_unused_result)) int migrate_run(const char *url, int *ret_applied,
						    struct migrate_error *reterr);

/* The same without changing anything: 1 when migrations are missing, 0 when up to date. */
__attribute__((warn_unused_result)) int migrate_check(const char *url,
						      struct migrate_error *reterr);

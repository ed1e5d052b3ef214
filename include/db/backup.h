/* Writes all rows of the database, from one snapshot, and the key for secret settings as a backup
 * (db/backup_frame.h), in steps, which block.
 *
 * Rows are stored in COPY's format, not as pg_dump does. So a file brings only data for tables that
 * our own migrations create, never SQL. A restore creates the tables as they were and migrates them
 * with their rows. No program of PostgreSQL of the server's version is needed. */
#pragma once

#include "base/buffer.h"
#include "db/backup_frame.h"

#include <libpq-fe.h>
#include <stdbool.h>
#include <text/str.h>

/* Held by the session of a server that makes a backup, so that instances make one at a time. */
#define BACKUP_LOCK_KEY "7235441203039271269"

/* ---- tables and sequences ---- */

/* Lists the ordinary tables of the schema: name, and columns with a line feed between them, without
 * generated columns and the key of challenges. */
extern const char backup_sql_tables[];
/* Lists the sequences: name, the table to which it belongs, if any, and the statement that reads
 * its value, and whether that was used. */
extern const char backup_sql_sequences[];

/* Whether a backup contains the table: it was made by a migration. Sessions, one-time links and
 * used challenges are left out, so that a restore does not make ended ones valid again; so are
 * running imports. */
bool backup_takes_table(const char *name);
/* Whether a backup contains the sequence. table: to which it belongs, or empty. */
bool backup_takes_sequence(const char *name, const char *table);

/* Appends COPY "name" ("column", ...) and way, TO STDOUT or FROM STDIN, in binary format, and a
 * NUL. columns: as in backup_sql_tables. */
void backup_copy_sql(struct buffer *sql, struct str name, struct str columns, const char *way);

/* ---- a backup ---- */

/* Why it ended. */
enum backup_fault {
	BACKUP_NO_FAULT,
	BACKUP_STATEMENT,     /* dump->result is the failed one */
	BACKUP_VERSION_FAULT, /* the database has migrations of another version */
	BACKUP_DATABASE,
};

struct backup_dump {
	/* Given: */
	PGconn *pg;
	const uint8_t *key; /* BACKUP_KEY_BYTES for secret settings; NULL: not in the backup */
	struct backup_writer writer; /* with write and context */
	/* Results: */
	int64_t schema, tables, rows;
	enum backup_fault fault;
	char why[512]; /* a sentence, unless the fault is BACKUP_STATEMENT */
	PGresult *result;
	/* State between the steps: */
	PGresult *list; /* of tables, then of sequences */
	int next;	/* of them */
	int (*step)(struct backup_dump *dump);
};

/* Begins. The rest of dump must be zero. End with backup_dump_end(). */
void backup_dump_begin(struct backup_dump *dump);
/* Does a part of the work: one statement, or a row or some. Returns 1 if there is more, 0 at the
 * end, or -1 with dump->fault. */
__attribute__((warn_unused_result)) int backup_dump_step(struct backup_dump *dump);
/* Frees the results. The connection stays in its transaction, and perhaps within a COPY. */
void backup_dump_end(struct backup_dump *dump);

/* Tables and sequences that a backup contains, and functions for SQL of backup and restore. */
#pragma once

#include "ctl/ctl.h"

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

/* Appends COPY "name" ("column", ...) and way, TO STDOUT or FROM STDIN, in binary format. columns:
 * as in backup_sql_tables. */
void backup_copy_sql(struct buffer *sql, struct str name, struct str columns, const char *way);

enum ctl_exit backup_run(struct ctl *ctl, const char *sql);
/* Reads rows as text. Free *ret_result with PQclear(); NULL after a failure. */
enum ctl_exit backup_ask(struct ctl *ctl, const char *sql, PGresult **ret_result);
/* Starts a COPY. wanted: PGRES_COPY_OUT or PGRES_COPY_IN. */
enum ctl_exit backup_start_copy(struct ctl *ctl, struct str sql, ExecStatusType wanted);

/* Parts of a database that go into a backup, and the SQL calls of backup and restore. */
#pragma once

#include "ctl/ctl.h"

/* Ordinary tables of the schema: their name, and their columns but generated ones, a line each. */
extern const char backup_sql_tables[];
/* Sequences: their name, and the table that each belongs to, if any. */
extern const char backup_sql_sequences[];

/* Tables that a migration made. Sessions, one-time links and used challenges are not taken: one
 * that has ended since would be good again. */
bool backup_takes_table(const char *name);
bool backup_takes_sequence(const char *name, const char *table);

/* Appends COPY "name" ("column", ...) TO STDOUT or FROM STDIN in binary form. columns: as in
 * backup_sql_tables. */
void backup_copy_sql(struct buffer *sql, struct str name, struct str columns, const char *way);

/* Functions that print the reason if they fail. */
enum ctl_exit backup_run(struct ctl *ctl, const char *sql);
/* Rows, as text; PQclear() them. */
enum ctl_exit backup_ask(struct ctl *ctl, const char *sql, PGresult **ret_result);
enum ctl_exit backup_start_copy(struct ctl *ctl, struct str sql, ExecStatusType wanted);

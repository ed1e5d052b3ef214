#include "db/backup.h"
#include "base/clock.h"
#include "db/migrate.h"
#include "db/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 3, 4))) static int
backup_fail(struct backup_dump *dump, enum backup_fault fault, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(dump->why, sizeof(dump->why), format, args);
	va_end(args);
	dump->fault = fault;
	return -1;
}

/* Runs a statement. Returns its result; NULL: it failed. */
static PGresult *ask(struct backup_dump *dump, const char *sql, ExecStatusType wanted)
{
	PGresult *result = PQexec(dump->pg, sql);

	if (PQresultStatus(result) == wanted)
		return result;
	dump->result = result;
	dump->fault = BACKUP_STATEMENT;
	return NULL;
}

static int run(struct backup_dump *dump, const char *sql, ExecStatusType wanted)
{
	PGresult *result = ask(dump, sql, wanted);

	PQclear(result);
	return result ? 1 : -1;
}

static int write_sequence(struct backup_dump *dump)
{
	const char *name, *sql;
	PGresult *state;

	if (dump->next == PQntuples(dump->list)) {
		backup_printf(&dump->writer, BACKUP_END, "rows %lld", (long long)dump->rows);
		return 0;
	}
	name = PQgetvalue(dump->list, dump->next, 0);
	sql = PQgetvalue(dump->list, dump->next, 2);
	if (!backup_takes_sequence(name, PQgetvalue(dump->list, dump->next++, 1)))
		return 1;
	state = ask(dump, sql, PGRES_TUPLES_OK);
	if (!state)
		return -1;
	backup_printf(&dump->writer, BACKUP_SEQUENCE, "%s %s %s", name, PQgetvalue(state, 0, 0),
		      PQgetvalue(state, 0, 1));
	PQclear(state);
	return 1;
}

/* Sequences come after the rows: a sequence may be ahead of the rows, not behind them. */
static int list_sequences(struct backup_dump *dump)
{
	PQclear(dump->list);
	dump->list = ask(dump, backup_sql_sequences, PGRES_TUPLES_OK);
	dump->next = 0;
	dump->step = write_sequence;
	return dump->list ? 1 : -1;
}

static int start_table(struct backup_dump *dump);

static int finish_table(struct backup_dump *dump, int outcome)
{
	PGresult *result = PQgetResult(dump->pg);
	int rc = 1;

	if (outcome < -1 || PQresultStatus(result) != PGRES_COMMAND_OK)
		rc = backup_fail(dump, BACKUP_DATABASE, "the database ended the backup: %.*s",
				 STR_ARG(result_first_line(PQerrorMessage(dump->pg))));
	else
		dump->rows += strtoll(PQcmdTuples(result), NULL, 10);
	PQclear(result);
	while ((result = PQgetResult(dump->pg)))
		PQclear(result);
	dump->step = start_table;
	return rc;
}

static int write_row(struct backup_dump *dump)
{
	char *data = NULL;
	int length = PQgetCopyData(dump->pg, &data, 0);

	if (length <= 0)
		return finish_table(dump, length);
	backup_write_rows(&dump->writer, data, (size_t)length);
	PQfreemem(data);
	return 1;
}

static int start_table(struct backup_dump *dump)
{
	struct buffer sql = {0};
	const char *name, *columns;
	int rc;

	if (dump->next == PQntuples(dump->list)) {
		dump->step = list_sequences;
		return 1;
	}
	name = PQgetvalue(dump->list, dump->next, 0);
	columns = PQgetvalue(dump->list, dump->next++, 1);
	if (!backup_takes_table(name))
		return 1;
	buffer_printf(&sql, "%s\n%s", name, columns);
	backup_write(&dump->writer, BACKUP_TABLE, buffer_view(&sql).data, buffer_length(&sql));
	buffer_clear(&sql);
	backup_copy_sql(&sql, str_from(name), str_from(columns), "TO STDOUT");
	rc = run(dump, buffer_view(&sql).data, PGRES_COPY_OUT);
	buffer_finish(&sql);
	dump->tables++;
	dump->step = write_row;
	return rc;
}

static int list_tables(struct backup_dump *dump)
{
	dump->list = ask(dump, backup_sql_tables, PGRES_TUPLES_OK);
	dump->step = start_table;
	return dump->list ? 1 : -1;
}

static int write_head(struct backup_dump *dump)
{
	char digits[MIGRATE_DIGITS + 1], now[TIMESTAMP_LENGTH + 1];
	struct migrate_error why;
	unsigned schema = 0;

	if (migrate_read(dump->pg, &schema, &why) < 0)
		return backup_fail(dump,
				   why.fault == MIGRATE_NEWER || why.fault == MIGRATE_OLDER
				       ? BACKUP_VERSION_FAULT
				       : BACKUP_DATABASE,
				   "%s", why.text);
	if (schema == 0)
		return backup_fail(dump, BACKUP_DATABASE,
				   "the database is not migrated: run displayctl migrate");
	dump->schema = schema;
	migrate_fingerprint(schema, digits);
	timestamp_format(clock_wall_us(), now);
	backup_begin(&dump->writer);
	backup_printf(&dump->writer, BACKUP_HEAD, "schema %u\nmigrations %s\nmade-at %s", schema,
		      digits, now);
	if (dump->key)
		backup_write(&dump->writer, BACKUP_KEY, dump->key, BACKUP_KEY_BYTES);
	dump->step = list_tables;
	return 1;
}

static int begin_snapshot(struct backup_dump *dump)
{
	dump->step = write_head;
	return run(dump, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", PGRES_COMMAND_OK);
}

/* Takes the migration lock: backups and migrations wait for each other. */
static int take_lock(struct backup_dump *dump)
{
	static const char sql[] =
	    "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; "
	    "SELECT pg_advisory_lock_shared(" MIGRATE_LOCK_KEY ")";

	dump->step = begin_snapshot;
	return run(dump, sql, PGRES_TUPLES_OK);
}

void backup_dump_begin(struct backup_dump *dump)
{
	dump->step = take_lock;
}

int backup_dump_step(struct backup_dump *dump)
{
	return dump->step(dump);
}

void backup_dump_end(struct backup_dump *dump)
{
	PQclear(dump->list);
	PQclear(dump->result);
	dump->list = dump->result = NULL;
}

/* displayctl backup: writes all rows of the database, from one snapshot, and the key for secret
 * settings to a file.
 *
 * Rows are stored in COPY's format, not as pg_dump does. So a file brings only data for tables that
 * our own migrations create, never SQL. A restore creates the tables as they were and migrates them
 * with their rows. No program of PostgreSQL of the server's version is needed. */
#include "base/clock.h"
#include "ctl/ctl.h"
#include "ctl/exchange/backup_frame.h"
#include "ctl/exchange/backup_tables.h"
#include "ctl/exchange/new_file.h"
#include "ctl/server/text.h"
#include "db/migrate.h"
#include "db/result.h"
#include "main/secret_key.h"

#include <errno.h>

struct backup {
	struct ctl *ctl;
	struct new_file file;
	struct backup_writer writer;
	int64_t schema, tables, rows;
	bool has_secret_key;
};

static enum ctl_exit write_key(struct backup *backup)
{
	const struct config *config = &backup->ctl->config;
	struct settings_key key;
	struct reason why;
	int found;

	if (config->secret_key_file)
		return CTL_DONE;
	found = secret_key_find(config->state_dir, NULL, &key, &why);
	if (found < 0)
		return ctl_fail(CTL_FAILED, "%s", why.text);
	if (!found)
		return CTL_DONE;
	backup->has_secret_key = true;
	backup_write(&backup->writer, BACKUP_KEY, key.bytes, sizeof(key.bytes));
	sodium_memzero(&key, sizeof(key));
	return CTL_DONE;
}

static enum ctl_exit write_head(struct backup *backup)
{
	char digits[MIGRATE_DIGITS + 1], now[TIMESTAMP_LENGTH + 1];
	struct migrate_error why;
	unsigned schema = 0;

	if (migrate_read(backup->ctl->connection, &schema, &why) < 0)
		return ctl_fail(why.fault == MIGRATE_NEWER || why.fault == MIGRATE_OLDER
				    ? CTL_REFUSED
				    : CTL_DATABASE,
				"%s", why.text);
	if (schema == 0)
		return ctl_fail(CTL_DATABASE,
				"the database is not migrated: run displayctl migrate");
	backup->schema = schema;
	migrate_fingerprint(schema, digits);
	timestamp_format(clock_wall_us(), now);
	backup_begin(&backup->writer);
	backup_printf(&backup->writer, BACKUP_HEAD, "schema %u\nmigrations %s\nmade-at %s", schema,
		      digits, now);
	return write_key(backup);
}

/* Writes the rows of the COPY that was started, unless the file cannot be written. */
static enum ctl_exit write_rows(struct backup *backup)
{
	PGconn *pg = backup->ctl->connection;
	char *data = NULL;
	enum ctl_exit code = CTL_DONE;
	PGresult *result;
	int length;

	while ((length = PQgetCopyData(pg, &data, 0)) > 0) {
		backup_write_rows(&backup->writer, data, (size_t)length);
		PQfreemem(data);
		if (backup->file.error)
			return CTL_FAILED;
	}
	result = PQgetResult(pg);
	if (length < -1 || PQresultStatus(result) != PGRES_COMMAND_OK)
		code = ctl_fail(CTL_DATABASE, "the database ended the backup: %.*s",
				STR_ARG(result_first_line(PQerrorMessage(pg))));
	else
		backup->rows += strtoll(PQcmdTuples(result), NULL, 10);
	PQclear(result);
	while ((result = PQgetResult(pg)))
		PQclear(result);
	return code;
}

static enum ctl_exit write_table(struct backup *backup, const char *name, struct str columns)
{
	struct str text = ARENA_JOIN(&backup->ctl->arena, str_from(name), STR("\n"), columns);
	struct buffer sql = {0};
	enum ctl_exit code;

	backup_write(&backup->writer, BACKUP_TABLE, text.data, text.length);
	backup_copy_sql(&sql, str_from(name), columns, "TO STDOUT");
	code = backup_start_copy(backup->ctl, buffer_view(&sql), PGRES_COPY_OUT);
	buffer_finish(&sql);
	backup->tables++;
	return code == CTL_DONE ? write_rows(backup) : code;
}

static enum ctl_exit write_tables(struct backup *backup)
{
	PGresult *tables = NULL;
	enum ctl_exit code = backup_ask(backup->ctl, backup_sql_tables, &tables);

	for (int i = 0; code == CTL_DONE && i < PQntuples(tables); i++) {
		const char *name = PQgetvalue(tables, i, 0);

		if (backup_takes_table(name))
			code = write_table(backup, name, str_from(PQgetvalue(tables, i, 1)));
	}
	PQclear(tables);
	return code;
}

static enum ctl_exit write_sequence(struct backup *backup, const char *name, const char *sql)
{
	PGresult *state = NULL;
	enum ctl_exit code = backup_ask(backup->ctl, sql, &state);

	if (code == CTL_DONE)
		backup_printf(&backup->writer, BACKUP_SEQUENCE, "%s %s %s", name,
			      PQgetvalue(state, 0, 0), PQgetvalue(state, 0, 1));
	PQclear(state);
	return code;
}

/* Writes the sequences, after the rows: a sequence may be ahead of the rows, not behind them. */
static enum ctl_exit write_sequences(struct backup *backup)
{
	PGresult *sequences = NULL;
	enum ctl_exit code = backup_ask(backup->ctl, backup_sql_sequences, &sequences);

	for (int i = 0; code == CTL_DONE && i < PQntuples(sequences); i++)
		if (backup_takes_sequence(PQgetvalue(sequences, i, 0), PQgetvalue(sequences, i, 1)))
			code = write_sequence(backup, PQgetvalue(sequences, i, 0),
					      PQgetvalue(sequences, i, 2));
	PQclear(sequences);
	return code;
}

static enum ctl_exit write_all(struct backup *backup)
{
	enum ctl_exit code = write_head(backup);

	if (code == CTL_DONE)
		code = write_tables(backup);
	if (code == CTL_DONE)
		code = write_sequences(backup);
	if (code == CTL_DONE)
		backup_printf(&backup->writer, BACKUP_END, "rows %lld", (long long)backup->rows);
	return code;
}

static enum ctl_exit write_file(struct backup *backup)
{
	struct reason why;
	enum ctl_exit code;

	if (new_file_open(&backup->file, backup->ctl->positionals[0].data, &why) < 0)
		return ctl_fail(CTL_FAILED, "%s", why.text);
	backup->writer.write = new_file_write;
	backup->writer.context = &backup->file;
	code = write_all(backup);
	if (code != CTL_DONE && !backup->file.error) {
		new_file_drop(&backup->file);
		return code;
	}
	if (new_file_finish(&backup->file, &why) < 0)
		return ctl_fail(CTL_FAILED, "%s", why.text);
	return CTL_DONE;
}

/* Records the time for programs that watch the backup's age. The backup is complete, so a failure
 * is ignored: an older database lacks the column, and a standby or a full disk accepts no write. */
static void note_backup(const struct backup *backup)
{
	PGconn *pg = backup->ctl->connection;

	PQclear(PQexec(pg, "COMMIT"));
	PQclear(PQexec(pg, statements[STATEMENT_BACKUP_NOTE].text));
}

/* Takes the migration lock: backups and migrations wait for each other. */
static const char begin[] =
    "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; "
    "SELECT pg_advisory_lock_shared(" MIGRATE_LOCK_KEY ")";

static enum ctl_exit run(struct ctl *ctl, void *context)
{
	struct backup *backup = context;
	enum ctl_exit code = backup_run(ctl, begin);

	if (code == CTL_DONE)
		code = backup_run(ctl, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
	if (code == CTL_DONE)
		code = write_file(backup);
	if (code == CTL_DONE)
		note_backup(backup);
	return code;
}

enum ctl_exit ctl_backup(struct ctl *ctl)
{
	struct backup backup = {.ctl = ctl};
	enum ctl_exit code = ctl_look_for_database(ctl);

	if (code == CTL_DONE)
		code = ctl_with_database(ctl, /* alone= */ false, run, &backup);
	if (code != CTL_DONE)
		return code;
	if (ctl->config.secret_key_file)
		fprintf(stderr,
			"displayctl: the key of --secret-key-file is not part of the backup; keep "
			"a copy of %s\n",
			ctl->config.secret_key_file);
	if (str_equal(ctl->positionals[0], STR("-")))
		return CTL_DONE;
	return ctl_print_members(ctl,
				 CTL_MEMBERS(ctl_text("file", ctl->positionals[0]),
					     ctl_number(ctl, "bytes", (int64_t)backup.file.bytes),
					     ctl_number(ctl, "schema", backup.schema),
					     ctl_number(ctl, "tables", backup.tables),
					     ctl_number(ctl, "rows", backup.rows),
					     ctl_flag("hasSecretKey", backup.has_secret_key)));
}

/* Loads the rows unchanged, without work for each row: triggers are disabled, since counts are
 * among the rows, and foreign keys are dropped and added again after all rows. */
#include "ctl/exchange/backup_sql.h"
#include "ctl/exchange/restore_steps.h"
#include "db/backup.h"
#include "db/result.h"

/* Each row has two statements: one to run before the load, one after it. */
static const char sql_references[] =
    "SELECT format('ALTER TABLE %I DROP CONSTRAINT %I', c.relname, k.conname), "
    "format('ALTER TABLE %I ADD CONSTRAINT %I %s', c.relname, k.conname, "
    "pg_get_constraintdef(k.oid)) "
    "FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid "
    "JOIN pg_namespace AS n ON n.oid = c.relnamespace "
    "WHERE k.contype = 'f' AND n.nspname = current_schema() ORDER BY c.relname, k.conname";
static const char sql_triggers[] =
    "SELECT format('ALTER TABLE %I DISABLE TRIGGER %I', c.relname, t.tgname), "
    "format('ALTER TABLE %I ENABLE %s TRIGGER %I', c.relname, "
    "CASE t.tgenabled WHEN 'A' THEN 'ALWAYS' WHEN 'R' THEN 'REPLICA' ELSE '' END, t.tgname) "
    "FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid "
    "JOIN pg_namespace AS n ON n.oid = c.relnamespace "
    "WHERE NOT t.tgisinternal AND t.tgenabled <> 'D' AND n.nspname = current_schema() "
    "ORDER BY c.relname, t.tgname";

static enum ctl_exit run_each(struct ctl *ctl, const PGresult *statements_of, int column)
{
	enum ctl_exit code = CTL_DONE;

	for (int i = 0; code == CTL_DONE && i < PQntuples(statements_of); i++)
		code = backup_run(ctl, PQgetvalue(statements_of, i, column));
	return code;
}

/* Deletes rows that migrations created: the backup contains them. */
static enum ctl_exit remove_rows(struct ctl *ctl)
{
	PGresult *tables = NULL;
	enum ctl_exit code = backup_ask(ctl, backup_sql_tables, &tables);

	for (int i = 0; code == CTL_DONE && i < PQntuples(tables); i++) {
		const char *name = PQgetvalue(tables, i, 0);

		if (backup_takes_table(name))
			code = backup_run(
			    ctl, arena_printf(&ctl->arena, "DELETE FROM \"%s\"", name).data);
	}
	PQclear(tables);
	return code;
}

static enum ctl_exit begin_table(struct restore *restore, const struct backup_frame *frame)
{
	struct ctl *ctl = restore->ctl;
	char name[BACKUP_NAME_BYTES_MAX + 1];
	struct buffer sql = {0};
	enum ctl_exit code;

	snprintf(name, sizeof(name), "%.*s", STR_ARG(frame->name));
	if (!backup_takes_table(name))
		return ctl_fail(CTL_REFUSED,
				"the backup has a table \"%s\", which is not displayd's", name);
	backup_copy_sql(&sql, frame->name, frame->columns, "FROM STDIN");
	code = backup_start_copy(ctl, buffer_view(&sql).data);
	buffer_finish(&sql);
	return code;
}

static enum ctl_exit fail_lost(const struct restore *restore)
{
	return ctl_fail_lost(restore->ctl, "the connection to the database was lost",
			     result_first_line(PQerrorMessage(restore->ctl->connection)));
}

static enum ctl_exit add_rows(const struct restore *restore, struct str rows)
{
	PGconn *pg = restore->ctl->connection;

	if (PQputCopyData(pg, rows.data, (int)rows.length) == 1)
		return CTL_DONE;
	return fail_lost(restore);
}

static enum ctl_exit end_table(struct restore *restore)
{
	PGconn *pg = restore->ctl->connection;
	enum ctl_exit code = CTL_DONE;
	PGresult *result;

	if (PQputCopyEnd(pg, NULL) != 1)
		return fail_lost(restore);
	result = PQgetResult(pg);
	if (PQresultStatus(result) == PGRES_COMMAND_OK)
		restore->rows += strtoll(PQcmdTuples(result), NULL, 10);
	else if (restore_is_interrupted || result_is_disk_full(result) ||
		 PQstatus(pg) != CONNECTION_OK)
		code = ctl_fail_statement(restore->ctl, result);
	else
		code = ctl_fail(CTL_REFUSED, "the database rejected rows of the backup: %.*s",
				STR_ARG(result_reason(result)));
	PQclear(result);
	while ((result = PQgetResult(pg)))
		PQclear(result);
	return code;
}

static enum ctl_exit set_sequence(struct restore *restore, const struct backup_frame *sequence)
{
	char sql[128];

	snprintf(sql, sizeof(sql), "SELECT setval('\"%.*s\"', %lld, %s)", STR_ARG(sequence->name),
		 (long long)sequence->last_value, sequence->is_called ? "true" : "false");
	return backup_run(restore->ctl, sql);
}

static enum ctl_exit check_end(const struct restore *restore, int64_t rows)
{
	if (rows == restore->rows)
		return CTL_DONE;
	return ctl_fail(CTL_REFUSED, "the backup should have %lld rows, but has %lld",
			(long long)rows, (long long)restore->rows);
}

static enum ctl_exit take_frame(struct restore *restore, const struct backup_frame *frame)
{
	switch (frame->kind) {
	case BACKUP_KEY:
		restore->has_key = true;
		memcpy(restore->key.bytes, frame->payload.data, sizeof(restore->key.bytes));
		return CTL_DONE;
	case BACKUP_TABLE:
		return begin_table(restore, frame);
	case BACKUP_ROWS:
		return add_rows(restore, frame->payload);
	case BACKUP_SEQUENCE:
		return set_sequence(restore, frame);
	case BACKUP_HEAD:
	case BACKUP_END:
		break;
	}
	return check_end(restore, frame->row_count);
}

static enum ctl_exit load_rows(struct restore *restore)
{
	struct backup_frame frame;
	bool is_in_table = false;
	enum ctl_exit code = CTL_DONE;
	struct reason why;

	do {
		int rc = restore_is_interrupted ? -1 : backup_read(&restore->reader, &frame, &why);

		if (restore_is_interrupted)
			return ctl_fail(CTL_FAILED, CTL_INTERRUPTED);
		if (rc < 0)
			return ctl_fail(CTL_REFUSED, "%s", why.text);
		if (is_in_table && frame.kind != BACKUP_ROWS) {
			code = end_table(restore);
			is_in_table = false;
		}
		if (code == CTL_DONE)
			code = take_frame(restore, &frame);
		is_in_table |= frame.kind == BACKUP_TABLE;
	} while (code == CTL_DONE && frame.kind != BACKUP_END);
	return code;
}

enum ctl_exit restore_load(struct restore *restore)
{
	struct ctl *ctl = restore->ctl;
	PGresult *references = NULL, *triggers = NULL;
	enum ctl_exit code = backup_ask(ctl, sql_references, &references);

	if (code == CTL_DONE)
		code = backup_ask(ctl, sql_triggers, &triggers);
	if (code == CTL_DONE)
		code = run_each(ctl, references, 0);
	if (code == CTL_DONE)
		code = run_each(ctl, triggers, 0);
	if (code == CTL_DONE)
		code = remove_rows(ctl);
	if (code == CTL_DONE)
		code = load_rows(restore);
	if (code == CTL_DONE)
		code = run_each(ctl, triggers, 1);
	if (code == CTL_DONE)
		code = run_each(ctl, references, 1);
	PQclear(references);
	PQclear(triggers);
	return code;
}

/* displayctl database show: PostgreSQL, its size and its schema. It works with any version of the
 * schema, so it reads no table but that of migrations. */
#include "base/require.h"
#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "db/migrate.h"
#include "db/result.h"
#include "db/unavailable.h"
#include "main/state_dir.h"

#include <stdlib.h>

enum { MIB = 1 << 20 };

/* Holds bytes and tables for JSON, size for people; the data of the others is NULL. */
struct database_shown {
	struct str kind;
	struct str host;
	int64_t port;
	struct str database;
	struct str user;
	struct str version;
	struct str encoding;
	struct str collation;
	int64_t applied;
	int64_t expected;
	int64_t used;
	int64_t most;
	bool is_pooled;
	struct str bytes; /* JSON */
	struct str size;
	struct str tables; /* JSON: an array */
	int64_t backend_pid;
	bool has_schema;
};

static const struct record_field fields[] = {
    RECORD_STR(struct database_shown, kind, .name = "kind"),
    RECORD_OPEN(.name = "address"),
    RECORD_STR(struct database_shown, host, .name = "host"),
    RECORD_INT(struct database_shown, port, .name = "port"),
    RECORD_STR(struct database_shown, database, .name = "database"),
    RECORD_STR(struct database_shown, user, .name = "user"),
    RECORD_CLOSE(),
    RECORD_STR(struct database_shown, version, .name = "version", .column = "version"),
    RECORD_STR(struct database_shown, encoding, .name = "encoding", .column = "encoding"),
    RECORD_STR(struct database_shown, collation, .name = "collation", .column = "collation"),
    RECORD_OPEN(.name = "schema"),
    RECORD_INT(struct database_shown, applied, .name = "applied"),
    RECORD_INT(struct database_shown, expected, .name = "expected"),
    RECORD_CLOSE(),
    RECORD_OPEN(.name = "connections"),
    RECORD_INT8(struct database_shown, used, .name = "used", .column = "used"),
    RECORD_INT8(struct database_shown, most, .name = "most", .column = "most"),
    RECORD_CLOSE(),
    RECORD_BOOL(struct database_shown, is_pooled, .name = "isPooled"),
    RECORD_JSON(struct database_shown, bytes, .name = "bytes", .column = "bytes", .nullable = true,
		.is_optional = true),
    RECORD_STR(struct database_shown, size, .name = "size", .nullable = true, .is_optional = true),
    RECORD_JSON(struct database_shown, tables, .name = "tables", .column = "tables",
		.nullable = true, .is_optional = true),
    RECORD_INT8(struct database_shown, backend_pid, .column = "backend_pid"),
    RECORD_BOOL(struct database_shown, has_schema, .column = "has_schema"),
};
const struct record database_shown_record = RECORD(struct database_shown, fields);

struct shown_table {
	struct str name;
	int64_t bytes;
	struct str size;
	int64_t rows;
};

static const struct record_field read_fields[] = {
    RECORD_STR(struct shown_table, name, .name = "name"),
    RECORD_INT(struct shown_table, bytes, .name = "bytes"),
    RECORD_INT(struct shown_table, rows, .name = "rowsAbout"),
};
static const struct record read_record = RECORD(struct shown_table, read_fields);

static const struct record_field readable_fields[] = {
    RECORD_STR(struct shown_table, name, .name = "table"),
    RECORD_STR(struct shown_table, size, .name = "size"),
    RECORD_INT(struct shown_table, rows, .name = "rowsAbout"),
};
static const struct record readable_record = RECORD(struct shown_table, readable_fields);

static struct str readable_size(struct ctl *ctl, int64_t bytes)
{
	if (bytes < MIB)
		return arena_printf(&ctl->arena, "%.0f KiB", (double)bytes / 1024);
	if (bytes < 1024LL * MIB)
		return arena_printf(&ctl->arena, "%.1f MiB", (double)bytes / MIB);
	return arena_printf(&ctl->arena, "%.1f GiB", (double)bytes / MIB / 1024);
}

/* ---- answers of PostgreSQL ---- */

/* Reads the one row of a statement into ret_row, a zeroed struct of the record. */
static enum ctl_exit read_row(struct ctl *ctl, enum statement statement,
			      const struct record *record, void *ret_row)
{
	PGresult *result = PQexecParams(ctl->connection, statements[statement].text, 0, NULL, NULL,
					NULL, NULL, /* resultFormat= */ 1);
	enum ctl_exit code = CTL_DONE;

	if (PQresultStatus(result) == PGRES_TUPLES_OK) {
		struct db_result rows = result_rows(result);

		db_read_row(&rows, 0, record, &ctl->arena, ret_row);
	} else {
		code = ctl_fail_statement(ctl, result);
	}
	PQclear(result);
	return code;
}

/* Reads all fields. Only parts of the address are shown, so no password. The private database is
 * reached through an inherited descriptor, so its socket is shown instead. */
static enum ctl_exit read_all(struct ctl *ctl, struct database_shown *shown)
{
	struct database_schema_row schema = {0};
	enum ctl_exit code = read_row(ctl, STATEMENT_DATABASE_SHOW, &database_shown_record, shown);

	if (code == CTL_DONE && shown->has_schema)
		code =
		    read_row(ctl, STATEMENT_DATABASE_SCHEMA, &database_schema_row_record, &schema);
	if (code != CTL_DONE)
		return code;
	shown->applied = schema.applied;
	shown->expected = migrations[migration_count - 1].number;
	shown->is_pooled = unavailable_is_pooled(
	    ctl->connection, arena_decimal(&ctl->arena, shown->backend_pid).data);
	shown->kind = ctl->config.database ? STR("external") : STR("private");
	shown->host = ctl->config.database
			  ? str_from(PQhost(ctl->connection))
			  : arena_printf(&ctl->arena, "%s/socket", ctl->cluster.folder);
	shown->port = strtol(PQport(ctl->connection), NULL, 10);
	shown->database = str_from(PQdb(ctl->connection));
	shown->user = str_from(PQuser(ctl->connection));
	return CTL_DONE;
}

/* ---- the command ---- */

static enum ctl_exit print_readable(struct ctl *ctl, struct database_shown *shown)
{
	struct ctl_rows rows;
	struct shown_table *tables;
	enum ctl_exit code = ctl_read_rows(ctl, shown->tables, &read_record, &rows);

	require(shown->bytes.data);
	shown->size = readable_size(ctl, strtoll(shown->bytes.data, NULL, 10));
	shown->bytes = shown->tables = (struct str){0};
	if (code == CTL_DONE)
		code = ctl_print_row(ctl, &database_shown_record, shown);
	if (code != CTL_DONE || rows.count == 0)
		return code;
	tables = rows.rows;
	for (unsigned i = 0; i < rows.count; i++)
		tables[i].size = readable_size(ctl, tables[i].bytes);
	fputs("\nThe largest tables, with their indexes:\n", stdout);
	return ctl_print_rows(ctl, &readable_record, &rows);
}

static enum ctl_exit show(struct ctl *ctl, void *context)
{
	struct database_shown shown = {0};
	enum ctl_exit code = read_all(ctl, &shown);

	(void)context;
	if (code == CTL_DONE)
		code = ctl->json ? ctl_print_row(ctl, &database_shown_record, &shown)
				 : print_readable(ctl, &shown);
	if (code == CTL_DONE && shown.applied < shown.expected)
		ctl_say("displayctl: the database must be migrated: start displayd, or run "
			"displayctl migrate");
	if (code == CTL_DONE && shown.applied > shown.expected)
		ctl_say("displayctl: the database is newer than this program; install a newer "
			"displayd");
	return code;
}

enum ctl_exit ctl_database_show(struct ctl *ctl)
{
	enum ctl_exit code = ctl_look_for_database(ctl);

	if (code != CTL_DONE)
		return code;
	if (!ctl->config.database && state_dir_is_locked(ctl->config.state_dir) == 0)
		ctl_say("displayctl: no displayd is running on %s: its PostgreSQL was started for "
			"this command, so the connections are not a server's",
			ctl->config.state_dir);
	return ctl_with_database(ctl, /* alone= */ false, show, NULL);
}

/* displayctl database show: the instance's PostgreSQL, its room and its schema. Also if this
 * program is too old or too new for the schema, so nothing here reads our tables. */
#include "base/require.h"
#include "ctl/ctl.h"
#include "db/migrate.h"
#include "db/unavailable.h"
#include "main/state_dir.h"

#include <stdlib.h>

enum { MIB = 1 << 20 };

struct database_place {
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
};

static const struct record_field place_fields[] = {
    RECORD_STR(struct database_place, kind, .name = "kind"),
    RECORD_OPEN(.name = "address"),
    RECORD_STR(struct database_place, host, .name = "host"),
    RECORD_INT(struct database_place, port, .name = "port"),
    RECORD_STR(struct database_place, database, .name = "database"),
    RECORD_STR(struct database_place, user, .name = "user"),
    RECORD_CLOSE(),
    RECORD_STR(struct database_place, version, .name = "version"),
    RECORD_STR(struct database_place, encoding, .name = "encoding"),
    RECORD_STR(struct database_place, collation, .name = "collation"),
    RECORD_OPEN(.name = "schema"),
    RECORD_INT(struct database_place, applied, .name = "applied"),
    RECORD_INT(struct database_place, expected, .name = "expected"),
    RECORD_CLOSE(),
    RECORD_OPEN(.name = "connections"),
    RECORD_INT(struct database_place, used, .name = "used"),
    RECORD_INT(struct database_place, most, .name = "most"),
    RECORD_CLOSE(),
    RECORD_BOOL(struct database_place, is_pooled, .name = "isPooled"),
};
static const struct record place_record = RECORD(struct database_place, place_fields);

/* A program gets bytes, a person a size that can be read. */
struct shown_table {
	struct str name;
	int64_t bytes;
	struct str size;
	int64_t rows;
};

static const struct record_field table_fields[] = {
    RECORD_STR(struct shown_table, name, .name = "name"),
    RECORD_INT(struct shown_table, bytes, .name = "bytes"),
    RECORD_INT(struct shown_table, rows, .name = "rowsAbout"),
};
static const struct record table_record = RECORD(struct shown_table, table_fields);

static const struct record_field readable_table_fields[] = {
    RECORD_STR(struct shown_table, name, .name = "table"),
    RECORD_STR(struct shown_table, size, .name = "size"),
    RECORD_INT(struct shown_table, rows, .name = "rowsAbout"),
};
static const struct record readable_table_record =
    RECORD(struct shown_table, readable_table_fields);

struct shown_database {
	struct database_place place;
	int64_t bytes;
	struct str size;
	struct str tables_json;
	struct ctl_rows tables; /* of struct shown_table */
};

static const struct record_field fields[] = {
    RECORD_ROW(struct shown_database, place, &place_record, .is_shown = true),
    RECORD_INT(struct shown_database, bytes, .name = "bytes"),
    RECORD_JSON(struct shown_database, tables_json, .name = "tables"),
};
static const struct record record = RECORD(struct shown_database, fields);

static const struct record_field readable_fields[] = {
    RECORD_ROW(struct shown_database, place, &place_record, .is_shown = true),
    RECORD_STR(struct shown_database, size, .name = "size"),
};
static const struct record readable_record = RECORD(struct shown_database, readable_fields);

static struct str readable_size(struct ctl *ctl, int64_t bytes)
{
	if (bytes < MIB)
		return arena_printf(&ctl->arena, "%.0f KiB", (double)bytes / 1024);
	if (bytes < 1024LL * MIB)
		return arena_printf(&ctl->arena, "%.1f MiB", (double)bytes / MIB);
	return arena_printf(&ctl->arena, "%.1f GiB", (double)bytes / MIB / 1024);
}

/* ---- where it is ---- */

/* libpq tells the parts of an address, so no password is among them. That of the private one goes
 * through a descriptor of ours, which tells nobody anything. */
static void read_address(struct ctl *ctl, struct database_place *place)
{
	place->host = str_from(PQhost(ctl->connection));
	place->port = strtol(PQport(ctl->connection), NULL, 10);
	place->database = str_from(PQdb(ctl->connection));
	place->user = str_from(PQuser(ctl->connection));
	place->kind = ctl->config.database ? STR("external") : STR("private");
	if (!ctl->config.database)
		place->host = arena_printf(&ctl->arena, "%s/socket", ctl->cluster.folder);
}

/* ---- what PostgreSQL says ---- */

static enum ctl_exit read_server(struct ctl *ctl, struct shown_database *shown,
				 bool *ret_has_schema)
{
	const struct database_show_row *row;
	struct ctl_rows rows;
	enum ctl_exit code;

	statement_database_show(ctl_new_query(ctl), NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	require(rows.count == 1);
	row = rows.rows;
	shown->place.version = row->version;
	shown->place.encoding = row->encoding;
	shown->place.collation = row->collation;
	shown->place.used = row->used;
	shown->place.most = row->most;
	shown->place.is_pooled = unavailable_is_pooled(
	    ctl->connection, arena_decimal(&ctl->arena, row->backend_pid).data);
	shown->bytes = row->bytes;
	shown->size = readable_size(ctl, row->bytes);
	*ret_has_schema = row->has_schema;
	return CTL_DONE;
}

static enum ctl_exit read_schema(struct ctl *ctl, struct database_place *place)
{
	struct ctl_rows rows;
	enum ctl_exit code;

	statement_database_schema(ctl_new_query(ctl), NULL);
	code = ctl_query(ctl, &rows);
	if (code == CTL_DONE)
		place->applied = ((const struct database_schema_row *)rows.rows)->applied;
	return code;
}

static enum ctl_exit read_tables(struct ctl *ctl, struct shown_database *shown)
{
	struct buffer json = {0};
	struct shown_table *tables;
	struct ctl_rows rows;
	enum ctl_exit code;

	statement_database_tables(ctl_new_query(ctl), NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	tables = arena_alloc(&ctl->arena, rows.count * sizeof(*tables));
	for (unsigned i = 0; i < rows.count; i++) {
		const struct database_tables_row *row =
		    &((const struct database_tables_row *)rows.rows)[i];

		tables[i] = (struct shown_table){.name = row->name,
						 .bytes = row->bytes,
						 .size = readable_size(ctl, row->bytes),
						 .rows = row->rows};
		buffer_append_char(&json, i > 0 ? ',' : '[');
		record_write_json(&table_record, &tables[i], &json);
	}
	buffer_append_str(&json, rows.count ? STR("]") : STR("[]"));
	shown->tables_json = arena_copy(&ctl->arena, buffer_view(&json));
	shown->tables = (struct ctl_rows){.count = rows.count, .rows = tables};
	buffer_finish(&json);
	return CTL_DONE;
}

/* ---- the command ---- */

static enum ctl_exit print(const struct ctl *ctl, const struct shown_database *shown)
{
	enum ctl_exit code;

	if (ctl->json)
		return ctl_print_row(ctl, &record, shown);
	code = ctl_print_row(ctl, &readable_record, shown);
	if (code != CTL_DONE || shown->tables.count == 0)
		return code;
	fputs("\nThe largest tables, with their indexes:\n", stdout);
	return ctl_print_rows(ctl, &readable_table_record, &shown->tables);
}

static void tell_schema(const struct database_place *place)
{
	if (place->applied < place->expected)
		fputs("displayctl: the database must be migrated: start displayd, or run "
		      "displayctl migrate\n",
		      stderr);
	if (place->applied > place->expected)
		fputs("displayctl: the database is newer than this program; install a newer "
		      "displayd\n",
		      stderr);
}

static enum ctl_exit show(struct ctl *ctl, void *context)
{
	struct shown_database shown = {.place.expected = migrations[migration_count - 1].number};
	bool has_schema = false;
	enum ctl_exit code = read_server(ctl, &shown, &has_schema);

	(void)context;
	read_address(ctl, &shown.place);
	if (code == CTL_DONE && has_schema)
		code = read_schema(ctl, &shown.place);
	if (code == CTL_DONE)
		code = read_tables(ctl, &shown);
	if (code == CTL_DONE)
		code = print(ctl, &shown);
	if (code == CTL_DONE)
		tell_schema(&shown.place);
	return code;
}

enum ctl_exit ctl_database_show(struct ctl *ctl)
{
	enum ctl_exit code = ctl_look_for_database(ctl);

	if (code != CTL_DONE)
		return code;
	if (!ctl->config.database && state_dir_is_locked(ctl->config.state_dir) == 0)
		fprintf(stderr,
			"displayctl: no displayd is running on %s: its PostgreSQL was started for "
			"this command, so the connections are not a server's\n",
			ctl->config.state_dir);
	return ctl_with_database(ctl, /* alone= */ false, show, NULL);
}

#include "ctl/exchange/backup_tables.h"
#include "ctl/exchange/restore_steps.h"
#include "db/migrate.h"

/* Lists the objects of the schema that belong to no extension: kind as in DROP, name as in
 * migrations, and name as in DROP. Views come before tables, and functions last, since any object
 * may use them. */
static const char sql_things[] =
    "SELECT kind, name, word FROM ("
    "SELECT CASE c.relkind WHEN 'v' THEN 'VIEW' WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END AS kind, "
    "c.relname::text AS name, quote_ident(c.relname) AS word, "
    "'pg_class'::regclass AS class, c.oid AS oid, "
    "CASE c.relkind WHEN 'v' THEN 1 WHEN 'S' THEN 3 ELSE 2 END AS rank "
    "FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace "
    "WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f') "
    "UNION ALL "
    "SELECT 'DOMAIN', t.typname, quote_ident(t.typname), 'pg_type'::regclass, t.oid, 4 "
    "FROM pg_type AS t JOIN pg_namespace AS n ON n.oid = t.typnamespace "
    "WHERE n.nspname = current_schema() AND t.typtype = 'd' "
    "UNION ALL "
    "SELECT 'FUNCTION', p.proname, p.oid::regprocedure::text, 'pg_proc'::regclass, p.oid, 5 "
    "FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace "
    "WHERE n.nspname = current_schema() AND p.prokind = 'f'"
    ") AS thing "
    /* e: belongs to an extension; a, i: sequence of a column, dropped with its table */
    "WHERE NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.classid = thing.class "
    "AND d.objid = thing.oid AND d.deptype IN ('e', 'a', 'i') "
    "AND (d.deptype = 'e' OR thing.kind = 'SEQUENCE')) "
    "ORDER BY rank, name";

static bool is_ours(const char *kind, const char *name)
{
	return strcmp(name, "schema_migration") == 0 || migrate_makes(kind, name);
}

static enum ctl_exit check_users(struct ctl *ctl)
{
	static const char sql[] =
	    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
	    "AND pid <> pg_backend_pid() AND application_name IN ('displayd', 'displayd migrate')";
	PGresult *count = NULL;
	enum ctl_exit code = backup_ask(ctl, sql, &count);

	if (code == CTL_DONE && strcmp(PQgetvalue(count, 0, 0), "0") != 0)
		code = ctl_fail(CTL_REFUSED, "a displayd is using this database; stop every server "
					     "that uses it, then restore");
	PQclear(count);
	return code;
}

/* Sets *ret_has_rows if a table has rows that a server does not create by itself. */
static enum ctl_exit look_for_rows(struct ctl *ctl, const PGresult *things, bool *ret_has_rows)
{
	struct buffer sql = {0};
	PGresult *answer = NULL;
	enum ctl_exit code;

	*ret_has_rows = false;
	buffer_append_str(&sql, STR("SELECT false"));
	for (int i = 0; i < PQntuples(things); i++) {
		const char *name = PQgetvalue(things, i, 1);

		if (strcmp(PQgetvalue(things, i, 0), "TABLE") == 0 && strcmp(name, "site") != 0 &&
		    strcmp(name, "schema_migration") != 0 && backup_takes_table(name))
			buffer_printf(&sql, " OR EXISTS (SELECT FROM \"%s\")", name);
	}
	buffer_append_char(&sql, '\0');
	code = backup_ask(ctl, buffer_view(&sql).data, &answer);
	if (code == CTL_DONE)
		*ret_has_rows = PQgetvalue(answer, 0, 0)[0] == 't';
	buffer_finish(&sql);
	PQclear(answer);
	return code;
}

static enum ctl_exit check_things(struct ctl *ctl, const PGresult *things)
{
	bool has_rows;
	enum ctl_exit code;

	for (int i = 0; i < PQntuples(things); i++) {
		const char *kind = PQgetvalue(things, i, 0), *name = PQgetvalue(things, i, 1);

		if (strcmp(kind, "FUNCTION") != 0 && strcmp(kind, "DOMAIN") != 0 &&
		    !is_ours(kind, name))
			return ctl_fail(CTL_REFUSED,
					"the database has \"%s\", which is not displayd's: restore "
					"into a database of its own",
					name);
	}
	code = look_for_rows(ctl, things, &has_rows);
	if (code != CTL_DONE || !has_rows)
		return code;
	if (!ctl_value(ctl, "replace").data)
		return ctl_fail(CTL_REFUSED, "the database already has accounts; use --replace to "
					     "delete them and their data, and restore the backup");
	return ctl_confirm(
	    ctl, "This replaces all accounts, devices, keys and apps with those of the backup.");
}

/* Drops displayd's objects, those of one kind in one statement: tables refer to each other. */
static enum ctl_exit drop(struct ctl *ctl, const PGresult *things)
{
	struct buffer sql = {0};
	const char *open = NULL;
	enum ctl_exit code;

	for (int i = 0; i < PQntuples(things); i++) {
		const char *kind = PQgetvalue(things, i, 0);

		if (!is_ours(kind, PQgetvalue(things, i, 1)))
			continue;
		if (open && strcmp(open, kind) == 0)
			buffer_append_str(&sql, STR(", "));
		else
			buffer_printf(&sql, "%sDROP %s ", open ? "; " : "", kind);
		buffer_append_str(&sql, str_from(PQgetvalue(things, i, 2)));
		open = kind;
	}
	buffer_append_char(&sql, '\0');
	code = open ? backup_run(ctl, buffer_view(&sql).data) : CTL_DONE;
	buffer_finish(&sql);
	return code;
}

enum ctl_exit restore_make_empty(struct ctl *ctl)
{
	PGresult *things = NULL;
	enum ctl_exit code = check_users(ctl);

	if (code == CTL_DONE)
		code = backup_ask(ctl, sql_things, &things);
	if (code == CTL_DONE)
		code = check_things(ctl, things);
	if (code == CTL_DONE)
		code = drop(ctl, things);
	PQclear(things);
	return code;
}

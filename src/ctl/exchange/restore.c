#include "cluster/upgrade.h"
#include "ctl/exchange/backup_sql.h"
#include "ctl/exchange/new_file.h"
#include "ctl/exchange/pass_phrase.h"
#include "ctl/exchange/restore_steps.h"
#include "ctl/server/text.h"
#include "db/backup.h"
#include "db/migrate.h"
#include "main/secret_key.h"
#include "main/state_dir.h"

#include <errno.h>

/* ---- Ctrl-C: the restore fails, and removes what it has created ---- */

volatile sig_atomic_t restore_is_interrupted;
static PGcancel *volatile interruptible; /* cancels the running statement; NULL: none runs */

static void on_signal(int number)
{
	char ignored[256];

	restore_is_interrupted = 1;
	cluster_upgrade_interrupt(number);
	if (interruptible)
		PQcancel(interruptible, ignored, sizeof(ignored));
}

/* Checks the head of the backup, before anything is changed. */
static enum ctl_exit check_head(struct restore *restore)
{
	char expected[MIGRATE_DIGITS + 1];
	struct backup_frame frame;
	struct reason why;

	if (backup_open(&restore->reader, &why) < 0 ||
	    backup_read(&restore->reader, &frame, &why) < 0)
		return why.text[0] ? ctl_fail(CTL_REFUSED, "%s", why.text) : CTL_USAGE;
	if (frame.head.schema > migration_count)
		return ctl_fail(CTL_REFUSED,
				"the backup is from a newer displayd: it has migration %u, this "
				"program knows %zu",
				frame.head.schema, migration_count);
	migrate_fingerprint(frame.head.schema, expected);
	if (frame.head.schema == 0 || strcmp(frame.head.migrations, expected) != 0)
		return ctl_fail(CTL_REFUSED,
				"the backup is from another displayd: its first %u migrations "
				"differ from those of this program",
				frame.head.schema);
	if (frame.head.schema < migrate_oldest())
		return ctl_fail(
		    CTL_REFUSED,
		    "the backup is too old for this program: it has migrations up to %u, "
		    "this program goes on from %u; restore it with displayctl of commit "
		    "f88f1128 into a database of its own, and make a backup of that",
		    frame.head.schema, migrate_oldest());
	restore->schema = frame.head.schema;
	restore->made_at = arena_copy(&restore->ctl->arena, frame.head.made_at);
	return CTL_DONE;
}

/* ---- empty ---- */

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
		    strcmp(name, "firmware_releases") != 0 &&
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

/* Drops displayd's objects. Rejects a database with rows that a server does not create by itself,
 * unless --replace was given and confirmed; and one with other tables, or that another displayd
 * uses. */
static enum ctl_exit make_empty(struct ctl *ctl)
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

/* ---- commit ---- */

/* Prepares the backup's key for secret settings. With --secret-key-file it must be the same key,
 * else the settings could not be read. */
static enum ctl_exit prepare_key(const struct restore *restore)
{
	const struct config *config = &restore->ctl->config;
	struct settings_key own;
	struct reason why;
	bool is_same;

	if (!restore->has_key)
		return CTL_DONE;
	if (!config->secret_key_file)
		return secret_key_prepare(config->state_dir, &restore->key, &why) < 0
			   ? ctl_fail(CTL_FAILED, "%s", why.text)
			   : CTL_DONE;
	if (secret_key_find(config->state_dir, config->secret_key_file, &own, &why) < 0)
		return ctl_fail(CTL_FAILED, "%s", why.text);
	is_same = sodium_memcmp(own.bytes, restore->key.bytes, sizeof(own.bytes)) == 0;
	sodium_memzero(&own, sizeof(own));
	if (is_same)
		return CTL_DONE;
	return ctl_fail(CTL_REFUSED,
			"the key of --secret-key-file differs from the backup's, so secret "
			"settings would be unreadable; restore without that option");
}

/* Commits the rows, and puts the key in place at once. No server can start in between. */
static enum ctl_exit commit_rows_and_key(const struct restore *restore)
{
	const struct config *config = &restore->ctl->config;
	bool puts_key = restore->has_key && !config->secret_key_file;
	struct reason why;
	enum ctl_exit code = prepare_key(restore);

	if (code == CTL_DONE)
		code = backup_run(restore->ctl, "COMMIT");
	if (code != CTL_DONE) {
		/* After a lost connection the rows may be committed, so keep the key. */
		if (puts_key && PQstatus(restore->ctl->connection) == CONNECTION_OK)
			secret_key_drop(config->state_dir);
		return code;
	}
	/* Remove the key of an earlier, interrupted restore: its rows are gone now. */
	if (!puts_key)
		secret_key_drop(config->state_dir);
	else if (secret_key_replace(config->state_dir, &why) < 0)
		return ctl_fail(CTL_FAILED, "%s", why.text);
	return CTL_DONE;
}

/* Commits with signals blocked: one that comes meanwhile acts afterwards. */
static enum ctl_exit commit(const struct restore *restore)
{
	enum ctl_exit code;
	sigset_t before;

	ctl_block_signals(&before);
	code = commit_rows_and_key(restore);
	sigprocmask(SIG_SETMASK, &before, NULL);
	/* Update statistics for the query planner. A failure is ignored: PostgreSQL does this later
	 * by itself. */
	if (code == CTL_DONE)
		PQclear(PQexec(restore->ctl->connection, "ANALYZE"));
	return code;
}

static enum ctl_exit migrate_to(struct ctl *ctl, unsigned schema)
{
	struct migrate_error why;

	if (migrate_within(ctl->connection, schema, &why) == 0)
		return CTL_DONE;
	return ctl_fail(CTL_FAILED, "%s", restore_is_interrupted ? CTL_INTERRUPTED : why.text);
}

static enum ctl_exit run_steps(struct ctl *ctl, struct restore *restore)
{
	static const char begin[] =
	    "SET client_min_messages = error; SET statement_timeout = 0; "
	    "SET idle_in_transaction_session_timeout = 0; SET lock_timeout = '30s'; "
	    "BEGIN; SELECT pg_advisory_xact_lock(" MIGRATE_LOCK_KEY ")";
	enum ctl_exit code = backup_run(ctl, begin);

	if (code == CTL_DONE)
		code = make_empty(ctl);
	if (code == CTL_DONE)
		code = migrate_to(ctl, restore->schema);
	if (code == CTL_DONE)
		code = restore_load(restore);
	if (code == CTL_DONE)
		code = migrate_to(ctl, (unsigned)migration_count);
	return code == CTL_DONE ? commit(restore) : code;
}

/* Makes displayd use this one of several servers, and its successors. If --database names one
 * server, only a timeline that was kept before is replaced: a later start may name several. */
static void keep_timeline(struct ctl *ctl)
{
	const char *state_dir = ctl->config.state_dir;
	struct timeline timeline = timeline_get(&ctl->timeline);
	PGresult *result;

	if (!timeline.system && state_dir_read_timeline(state_dir).system) {
		result = PQexec(ctl->connection, "SELECT " TIMELINE_COLUMNS);
		timeline = timeline_read(result, 0);
		PQclear(result);
	}
	if (timeline.system && state_dir_write_timeline(state_dir, timeline) < 0)
		fprintf(stderr, "displayctl: cannot write the file timeline to the state "
				"directory; run displayctl database accept\n");
}

static enum ctl_exit restore_run(struct ctl *ctl, void *context)
{
	PGcancel *cancel = PQgetCancel(ctl->connection);
	enum ctl_exit code;

	interruptible = cancel;
	code = run_steps(ctl, context);
	interruptible = NULL;
	if (code == CTL_DONE)
		keep_timeline(ctl);
	PQfreeCancel(cancel);
	/* Remove the key: the caller removes the new database after this failure. */
	if (code != CTL_DONE && ctl->cluster.is_new)
		secret_key_drop(ctl->config.state_dir);
	return code;
}

static enum ctl_exit restore_from(struct restore *restore)
{
	struct ctl *ctl = restore->ctl;
	enum ctl_exit code = check_head(restore);

	ctl_catch_signals(on_signal);
	ctl->accepts_database = true;
	if (code == CTL_DONE)
		code = ctl_with_database(ctl, /* alone= */ true, restore_run, restore);
	sodium_memzero(&restore->key, sizeof(restore->key));
	if (code != CTL_DONE)
		return restore_is_interrupted ? CTL_FAILED : code;
	return ctl_print_members(
	    ctl, CTL_MEMBERS(ctl_text("madeAt", restore->made_at),
			     ctl_number(ctl, "schema", restore->schema),
			     ctl_number(ctl, "applied", (int64_t)migration_count - restore->schema),
			     ctl_number(ctl, "rows", restore->rows),
			     ctl_flag("hasSecretKey", restore->has_key)));
}

/* The reason is empty: it was printed. */
static int ask_phrase(void *context, struct str *ret_phrase, struct reason *reterr)
{
	if (pass_phrase_ask(context, ret_phrase) == CTL_DONE)
		return 0;
	reterr->text[0] = '\0';
	return -1;
}

enum ctl_exit ctl_restore(struct ctl *ctl)
{
	struct restore restore = {.ctl = ctl, .reader = {.ask = ask_phrase, .context = ctl}};
	const char *path = ctl->positionals[0].data;
	enum ctl_exit code;

	restore.reader.file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	if (!restore.reader.file)
		return ctl_fail(errno == ENOENT ? CTL_NOT_FOUND : CTL_FAILED, "cannot read %s: %s",
				path, strerror(errno));
	code = restore_from(&restore);
	fclose(restore.reader.file);
	return code;
}

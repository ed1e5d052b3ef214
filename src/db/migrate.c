#include "db/migrate.h"
#include "base/hex.h"
#include "base/log.h"
#include "base/memory.h"
#include "db/hosts.h"
#include "db/result.h"
#include "migrator.h"

#include <libpq-fe.h>
#include <poll.h>
#include <sodium.h>
#include <stdio.h>

enum {
	SERVER_VERSION_MIN = 150000,
	/* Pause between tries of a migration that met a lock. */
	LOCKED_REST_MS = 500,
};

enum { HASH_TEXT_SIZE = 2 * crypto_hash_sha256_BYTES + 1 };

struct migrator {
	PGconn *pg;
	const struct migration *list;
	size_t count;
	int applied; /* migrations 1 to this one were applied */
	bool met_lock;
	struct migrate_error *error;
};

__attribute__((format(printf, 2, 3))) static int migrate_fail(struct migrator *m,
							      const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(m->error->text, sizeof(m->error->text), format, args);
	va_end(args);
	m->error->fault = MIGRATE_FAILED;
	return -1;
}

static bool is_lock_timeout(const PGresult *result)
{
	const char *sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);

	return sqlstate && strcmp(sqlstate, "55P03") == 0;
}

/* Executes a statement. Returns NULL if it failed, with the reason in m->error. */
static PGresult *execute(struct migrator *m, const char *what, const char *sql, int count,
			 const char *const *values)
{
	/* Without parameters the text may have many statements. */
	PGresult *result = count ? PQexecParams(m->pg, sql, count, NULL, values, NULL, NULL, 0)
				 : PQexec(m->pg, sql);
	ExecStatusType status = PQresultStatus(result);

	if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)
		return result;
	migrate_fail(m, "%s: %.*s", what, STR_ARG(result_reason(result)));
	m->met_lock = is_lock_timeout(result);
	PQclear(result);
	return NULL;
}

static int run(struct migrator *m, const char *what, const char *sql)
{
	PGresult *result = execute(m, what, sql, 0, NULL);

	PQclear(result);
	return result ? 0 : -1;
}

/* Runs a query whose result is one boolean. Returns 0 or 1, or -1 on error. */
static int ask(struct migrator *m, const char *what, const char *sql)
{
	PGresult *result = execute(m, what, sql, 0, NULL);
	int answer;

	if (!result)
		return -1;
	answer = PQntuples(result) == 1 && PQgetvalue(result, 0, 0)[0] == 't';
	PQclear(result);
	return answer;
}

static int connect_to(struct migrator *m, const char *url, struct timeline_known *known)
{
	const struct hosts_use use = HOSTS_USE_OF_PRIMARY("displayd migrate");
	struct hosts_failure failure;

	m->pg = hosts_connect_once(url, &use, known, &failure);
	if (m->pg)
		return 0;
	migrate_fail(m, "cannot connect to the database: %s", failure.words);
	m->error->fault = MIGRATE_UNAVAILABLE;
	return -1;
}

static int check_server(struct migrator *m)
{
	const char *encoding;

	if (PQserverVersion(m->pg) < SERVER_VERSION_MIN)
		return migrate_fail(m,
				    "the database server is PostgreSQL %d; %d or later is needed",
				    PQserverVersion(m->pg) / 10000, SERVER_VERSION_MIN / 10000);
	encoding = PQparameterStatus(m->pg, "server_encoding");
	if (!encoding || strcmp(encoding, "UTF8") != 0)
		return migrate_fail(
		    m, "the database has the encoding %s; create it with ENCODING 'UTF8'",
		    encoding ? encoding : "(unknown)");
	return 0;
}

static void hash_of(const struct migration *migration, char ret_text[static HASH_TEXT_SIZE])
{
	unsigned char hash[crypto_hash_sha256_BYTES];
	const char *text = migration->text;

	if (migration->sha256) {
		memcpy(ret_text, migration->sha256, HASH_TEXT_SIZE);
		return;
	}
	crypto_hash_sha256(hash, (const unsigned char *)text, strlen(text));
	hex_encode(hash, sizeof(hash), ret_text);
}

/* Returns the number of migrations that the first text makes. */
static int first_text(const struct migration *list)
{
	int number = 1;

	while (!list[number - 1].text)
		number++;
	return number;
}

/* Checks one row of schema_migration. Rows come in the order of their numbers. */
static int check_row(struct migrator *m, int number, const char *name, const char *hash)
{
	char expected[HASH_TEXT_SIZE];

	if (number > (int)m->count) {
		migrate_fail(
		    m,
		    "the database is newer than this program: it has migration %d (%s), this "
		    "program knows migrations up to %zu",
		    number, name, m->count);
		m->error->fault = MIGRATE_NEWER;
		return -1;
	}
	if (number != m->applied + 1)
		return migrate_fail(m, "the database has migration %d (%s), but not migration %d",
				    number, name, m->applied + 1);
	hash_of(&m->list[number - 1], expected);
	if (strcmp(hash, expected) != 0)
		return migrate_fail(
		    m, "migration %d (%s) was applied to the database with a different text",
		    number, name);
	m->applied = number;
	return 0;
}

/* Fails if the schema replaces migrations of which the database has some and not all. */
static int check_age(struct migrator *m)
{
	int first = first_text(m->list);

	if (m->applied == 0 || m->applied >= first)
		return 0;
	migrate_fail(
	    m,
	    "the database is too old for this program: it has migrations up to %d (%s), this "
	    "program "
	    "goes on from %d; start displayd of commit f88f1128 with it once, then this one",
	    m->applied, m->list[m->applied - 1].name, first);
	m->error->fault = MIGRATE_OLDER;
	return -1;
}

static int read_applied(struct migrator *m)
{
	static const char what[] = "cannot read the applied migrations";
	PGresult *result;
	int error = 0;
	int exists = ask(m, what, "SELECT to_regclass('schema_migration') IS NOT NULL");

	m->applied = 0;
	if (exists <= 0)
		return exists;
	result = execute(
	    m, what, "SELECT number, name, sha256 FROM schema_migration ORDER BY number", 0, NULL);
	if (!result)
		return -1;
	for (int i = 0; i < PQntuples(result) && !error; i++)
		error = check_row(m, (int)strtol(PQgetvalue(result, i, 0), NULL, 10),
				  PQgetvalue(result, i, 1), PQgetvalue(result, i, 2));
	PQclear(result);
	return error ? error : check_age(m);
}

enum { WHAT_BYTES = 100 };

static void name_failure(const struct migration *migration, char ret_what[static WHAT_BYTES])
{
	snprintf(ret_what, WHAT_BYTES, "migration %d (%s) failed", migration->number,
		 migration->name);
}

static int note_applied(struct migrator *m, const char *what, const struct migration *migration)
{
	char number[12];
	char hash[HASH_TEXT_SIZE];
	const char *const values[] = {number, migration->name, hash};
	PGresult *result;

	snprintf(number, sizeof(number), "%d", migration->number);
	hash_of(migration, hash);
	result = execute(m, what,
			 "INSERT INTO schema_migration (number, name, sha256) VALUES ($1, $2, $3)",
			 3, values);
	PQclear(result);
	return result ? 0 : -1;
}

/* Applies the next text in a transaction of the caller's: that of a migration, or the schema. */
static int apply_text(struct migrator *m, const struct migration *migration)
{
	char what[WHAT_BYTES];

	name_failure(migration, what);
	if (run(m, what, migration->text) < 0)
		return -1;
	for (int i = m->applied; i < migration->number; i++) {
		if (note_applied(m, what, &m->list[i]) < 0)
			return -1;
	}
	m->applied = migration->number;
	return 0;
}

/* Applies a migration in a transaction of its own. While it waits for a lock, all later statements
 * wait behind it, even reads. So it waits only briefly. */
static int try_to_apply(struct migrator *m, const struct migration *migration)
{
	char what[WHAT_BYTES];
	PGresult *result;

	name_failure(migration, what);
	if (run(m, what, "BEGIN; SET LOCAL lock_timeout = '200ms'") < 0 ||
	    apply_text(m, migration) < 0)
		return -1; /* the caller ends the transaction */
	result = execute(m, what, "COMMIT", 0, NULL);
	if (result && strcmp(PQcmdStatus(result), "COMMIT") != 0) {
		PQclear(result);
		return migrate_fail(m, "%s: not committed", what);
	}
	PQclear(result);
	if (!result)
		return -1;
	log_info("db", "migration applied", LOG_INT("number", migration->number),
		 LOG_TEXT("name", migration->name));
	return 0;
}

static int apply(struct migrator *m, const struct migration *migration)
{
	for (bool is_said = false;; is_said = true) {
		m->met_lock = false;
		if (try_to_apply(m, migration) == 0)
			return 0;
		/* In all other cases, closing the connection ends the transaction. */
		if (!m->met_lock || run(m, "cannot go back", "ROLLBACK") < 0)
			return -1;
		if (!is_said)
			log_info("db", "migration waiting for a lock",
				 LOG_INT("number", migration->number));
		poll(NULL, 0, LOCKED_REST_MS);
	}
}

/* Returns the migration whose text is to be applied next. */
static const struct migration *next_text(const struct migrator *m)
{
	int first = first_text(m->list);

	return &m->list[m->applied == 0 ? first - 1 : m->applied];
}

/* Waits while another instance migrates. The connection's end releases the lock. */
static int take_lock(struct migrator *m)
{
	static const char what[] = "cannot lock the database for migrations";
	int locked = ask(m, what, "SELECT pg_try_advisory_lock(" MIGRATE_LOCK_KEY ")");

	if (locked)
		return locked < 0 ? -1 : 0;
	log_info("db", "another instance is migrating, waiting for it");
	return run(m, what, "SELECT pg_advisory_lock(" MIGRATE_LOCK_KEY ")");
}

/* The time is the server's own clock: present_time() is made by a migration. */
static int make_table(struct migrator *m)
{
	return run(m, "cannot create the migration table",
		   "CREATE TABLE IF NOT EXISTS schema_migration (number int4 PRIMARY KEY, "
		   "name text NOT NULL, sha256 text NOT NULL, "
		   "applied_at timestamptz NOT NULL DEFAULT clock_timestamp())");
}

/* Fails if an empty schema is wanted for displayd's tables, and it has others. Those of extensions
 * are no program's. */
static int check_is_free(struct migrator *m)
{
	static const char what[] = "cannot read the tables of the database";
	PGresult *result =
	    execute(m, what,
		    "SELECT relname, current_database() FROM pg_class WHERE relkind IN ('r', 'p', "
		    "'v', 'm', 'f') "
		    "AND relnamespace = to_regnamespace(current_schema()::text) AND relname <> "
		    "'schema_migration' "
		    "AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass "
		    "AND objid = pg_class.oid AND deptype = 'e') ORDER BY relname LIMIT 1",
		    0, NULL);
	bool is_free = result && PQntuples(result) == 0;

	if (result && !is_free) {
		migrate_fail(
		    m,
		    "the database %s is used by another program: it has the table %s, and none of "
		    "displayd; create a database for displayd alone",
		    PQgetvalue(result, 0, 1), PQgetvalue(result, 0, 0));
		m->error->fault = MIGRATE_FOREIGN;
	}
	PQclear(result);
	return is_free ? 0 : -1;
}

static int apply_missing(struct migrator *m, int *ret_applied)
{
	int before;

	*ret_applied = 0;
	if (check_server(m) < 0)
		return -1;
	/* Checked first without the lock: a user who may not create tables can start a server whose
	 * database is up to date. */
	if (read_applied(m) < 0)
		return -1;
	if ((size_t)m->applied == m->count)
		return 0;
	if (run(m, "cannot set up the connection",
		"SET client_min_messages = warning; SET statement_timeout = 0") < 0 ||
	    take_lock(m) < 0 || read_applied(m) < 0)
		return -1;
	/* Under the lock: before, the tables may be those that another instance makes now. */
	if ((m->applied == 0 && check_is_free(m) < 0) || make_table(m) < 0)
		return -1;
	before = m->applied;
	while ((size_t)m->applied < m->count) {
		if (apply(m, next_text(m)) < 0)
			return -1;
	}
	*ret_applied = m->applied - before;
	return 0;
}

int migrator_run(const char *url, struct timeline_known *known, const struct migration *list,
		 size_t count, int *ret_applied, struct migrate_error *reterr)
{
	struct migrator m = {.list = list, .count = count, .error = reterr};
	int error = connect_to(&m, url, known);

	if (!error)
		error = apply_missing(&m, ret_applied);
	PQfinish(m.pg);
	return error;
}

int migrate_run(const char *url, struct timeline_known *known, int *ret_applied,
		struct migrate_error *reterr)
{
	return migrator_run(url, known, migrations, migration_count, ret_applied, reterr);
}

int migrate_over(struct pg_conn *pg, int *ret_applied, struct migrate_error *reterr)
{
	struct migrator m = {
	    .pg = pg, .list = migrations, .count = migration_count, .error = reterr};

	return apply_missing(&m, ret_applied);
}

int migrate_read(struct pg_conn *pg, unsigned *ret_applied, struct migrate_error *reterr)
{
	struct migrator m = {
	    .pg = pg, .list = migrations, .count = migration_count, .error = reterr};

	if (read_applied(&m) < 0)
		return -1;
	*ret_applied = (unsigned)m.applied;
	return 0;
}

int migrate_within(struct pg_conn *pg, unsigned number, struct migrate_error *reterr)
{
	struct migrator m = {
	    .pg = pg, .list = migrations, .count = migration_count, .error = reterr};

	if (run(&m, "cannot lock the database for migrations",
		"SELECT pg_advisory_xact_lock(" MIGRATE_LOCK_KEY ")") < 0 ||
	    make_table(&m) < 0 || read_applied(&m) < 0)
		return -1;
	while ((unsigned)m.applied < number) {
		if (apply_text(&m, next_text(&m)) < 0)
			return -1;
	}
	return 0;
}

unsigned migrate_oldest(void)
{
	return (unsigned)first_text(migrations);
}

void migrate_fingerprint(unsigned number, char ret_digits[static MIGRATE_DIGITS + 1])
{
	unsigned char hash[crypto_hash_sha256_BYTES];
	crypto_hash_sha256_state state;

	crypto_hash_sha256_init(&state);
	for (unsigned i = 0; i < number; i++) {
		char text[HASH_TEXT_SIZE];

		hash_of(&migrations[i], text);
		crypto_hash_sha256_update(&state, (const unsigned char *)text, strlen(text));
	}
	crypto_hash_sha256_final(&state, hash);
	hex_encode(hash, sizeof(hash), ret_digits);
}

static bool text_makes(const char *text, const char *kind, const char *name)
{
	char line[2 * WHAT_BYTES];
	size_t length;

	snprintf(line, sizeof(line), "CREATE %s %s", kind, name);
	length = strlen(line);
	for (const char *at = text; (at = strstr(at, line)); at += length) {
		if ((at == text || at[-1] == '\n') && strchr(" (;\n", at[length]))
			return true;
	}
	return false;
}

bool migrate_makes(const char *kind, const char *name)
{
	for (size_t i = 0; i < migration_count; i++) {
		if (migrations[i].text && text_makes(migrations[i].text, kind, name))
			return true;
	}
	return false;
}

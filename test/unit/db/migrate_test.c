/* Migrations on their own databases. */
#include "base/require.h"
#include "migrator.h"
#include "support.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static const struct migration list[] = {
    {1, "first", "CREATE TABLE a (x int); INSERT INTO a VALUES (1), (2);"},
    {2, "second", "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$BEGIN RETURN 7; END$$;"},
    {3, "third", "SELECT pg_sleep(0.2); CREATE TABLE b (y int DEFAULT f());"},
};

static char url[500];

/* Creates an empty database. Its URL is that of the first with another name. */
static void fresh(const char *name, const char *encoding)
{
	const char *first = getenv("DISPLAYD_TEST_DATABASE");
	const char *query;
	char command[100];

	require(first);
	query = strchr(first, '?');
	snprintf(command, sizeof(command), "create %s %s", name, encoding);
	control(command);
	snprintf(url, sizeof(url), "postgresql:///%s%s", name, query);
}

static void must_apply(size_t count, int expected)
{
	struct migrate_error error = {""};
	int applied = -1;

	if (migrator_run(url, NULL, list, count, &applied, &error) < 0)
		fail_msg("%s", error.text);
	assert_int_equal(applied, expected);
}

static void must_refuse(const struct migration *other, size_t count, const char *sentence)
{
	struct migrate_error error = {""};
	int applied;

	assert_int_equal(migrator_run(url, NULL, other, count, &applied, &error), -1);
	assert_string_equal(error.text, sentence);
}

static char *query_over(PGconn *pg, const char *sql)
{
	PGresult *result = PQexec(pg, sql);
	char *text;

	assert_int_equal(PQresultStatus(result), PGRES_TUPLES_OK);
	text = strdup(PQgetvalue(result, 0, 0));
	PQclear(result);
	return text;
}

static char *query(const char *sql)
{
	PGconn *pg = PQconnectdb(url);
	char *text = query_over(pg, sql);

	PQfinish(pg);
	return text;
}

static void must_give(const char *sql, const char *expected)
{
	char *value = query(sql);

	assert_string_equal(value, expected);
	free(value);
}

static void test_run(void **state)
{
	(void)state;
	fresh("migrate_run", "UTF8");
	must_give("SELECT to_regclass('schema_migration') IS NULL", "t");
	must_apply(1, 1);
	must_apply(1, 0);
	must_apply(3, 2);
	must_apply(3, 0);
	must_give("SELECT count(*) FROM a", "2");
	must_give("SELECT string_agg(name, ',' ORDER BY number) FROM schema_migration",
		  "first,second,third");
	must_give("SELECT sha256 = encode(sha256('SELECT pg_sleep(0.2); CREATE TABLE b "
		  "(y int DEFAULT f());'), 'hex') FROM schema_migration WHERE number = 3",
		  "t");
}

static void test_newer(void **state)
{
	(void)state;
	fresh("migrate_newer", "UTF8");
	must_apply(3, 3);
	must_refuse(list, 2,
		    "the database is newer than this program: it has migration 3 (third), "
		    "this program knows migrations up to 2");
}

static void test_changed_text(void **state)
{
	struct migration other[3];

	(void)state;
	fresh("migrate_changed", "UTF8");
	must_apply(2, 2);
	memcpy(other, list, sizeof(other));
	other[1].text = "SELECT 1";
	must_refuse(other, 3,
		    "migration 2 (second) was applied to the database with a different text");
	must_give("SELECT to_regclass('b') IS NULL", "t");
}

static const struct migration change[] = {
    {1, "first", "CREATE TABLE a (x int); INSERT INTO a VALUES (1), (2);"},
    {2, "second", "ALTER TABLE a ADD COLUMN y int;"},
};

static void *change_in_a_thread(void *applied)
{
	struct migrate_error error = {""};

	if (migrator_run(url, NULL, change, 2, applied, &error) < 0)
		fprintf(stderr, "%s\n", error.text);
	return NULL;
}

/* During a long reading transaction the migration waits, but other readers do not. */
static void test_what_is_in_use(void **state)
{
	int applied = -1;
	pthread_t thread;
	PGconn *reader;

	(void)state;
	fresh("migrate_in_use", "UTF8");
	must_apply(1, 1);
	reader = PQconnectdb(url);
	PQclear(PQexec(reader, "BEGIN"));
	PQclear(PQexec(reader, "SELECT FROM a"));
	assert_int_equal(pthread_create(&thread, NULL, change_in_a_thread, &applied), 0);
	for (bool waits = false; !waits;) {
		char *count = query("SELECT count(*) FROM pg_locks WHERE NOT granted");

		waits = strcmp(count, "0") != 0;
		free(count);
	}
	must_give("SET statement_timeout = '60s'; SELECT count(*) FROM a", "2");
	PQclear(PQexec(reader, "COMMIT"));
	PQfinish(reader);
	pthread_join(thread, NULL);
	assert_int_equal(applied, 1);
}

static void test_gap(void **state)
{
	(void)state;
	fresh("migrate_gap", "UTF8");
	must_apply(2, 2);
	free(query("DELETE FROM schema_migration WHERE number = 1 RETURNING 1"));
	must_refuse(list, 3, "the database has migration 2 (second), but not migration 1");
}

static void test_failure_leaves_nothing(void **state)
{
	struct migration other[2];

	(void)state;
	fresh("migrate_failure", "UTF8");
	memcpy(other, list, sizeof(other));
	other[1].text = "CREATE TABLE half (x int); SELECT 1 / 0;";
	must_refuse(other, 2, "migration 2 (second) failed: division by zero");
	must_give("SELECT to_regclass('half') IS NULL", "t");
	must_give("SELECT max(number) FROM schema_migration", "1");
	must_apply(3, 2);
}

static void test_encoding(void **state)
{
	(void)state;
	fresh("migrate_latin", "LATIN1");
	must_refuse(list, 3,
		    "the database has the encoding LATIN1; create it with ENCODING 'UTF8'");
}

static void test_connection(void **state)
{
	struct migrate_error error = {""};
	int applied;

	(void)state;
	assert_int_equal(migrate_run("postgresql://u:secret@/%zz", NULL, &applied, &error), -1);
	assert_string_equal(
	    error.text, "cannot connect to the database: the URL is not a valid connection string");
	assert_int_equal(migrate_run("host=/nonexistent", NULL, &applied, &error), -1);
	assert_non_null(strstr(error.text, "cannot connect to the database: "));
	assert_null(strchr(error.text, '\n'));
}

static void *run_in_thread(void *argument)
{
	struct migrate_error error = {""};
	int *applied = argument;

	if (migrator_run(url, NULL, list, 3, applied, &error) < 0)
		*applied = -100;
	return NULL;
}

static void test_at_once(void **state)
{
	pthread_t threads[4];
	int applied[4];
	int sum = 0;

	(void)state;
	fresh("migrate_at_once", "UTF8");
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, run_in_thread, &applied[i]);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_true(applied[i] >= 0);
		sum += applied[i];
	}
	assert_int_equal(sum, 3);
	must_give("SELECT count(*) FROM a", "2");
}

/* A user without the right to create tables can start on a current database. */
static void test_without_rights(void **state)
{
	char owner[500];

	(void)state;
	fresh("migrate_rights", "UTF8");
	must_apply(3, 3);
	memcpy(owner, url, sizeof(owner));
	run_sql("CREATE ROLE guest LOGIN");
	run_sql("GRANT pg_read_all_data TO guest");
	snprintf(url, sizeof(url), "%s&options=-crole%%3Dguest", owner);
	must_apply(3, 0);
}

/* Tests the migrations that the server contains. */
static void test_embedded(void **state)
{
	struct migrate_error error = {""};
	int applied;

	(void)state;
	fresh("migrate_embedded", "UTF8");
	if (migrate_run(url, NULL, &applied, &error) < 0)
		fail_msg("%s", error.text);
	assert_int_equal(applied, migration_count);
}

/* Keys of an account from before the limit are kept. */
static void test_account_with_many_keys(void **state)
{
	enum { BEFORE_LIMIT = 5 };
	struct migrate_error error = {""};
	int applied;

	(void)state;
	fresh("migrate_keys", "UTF8");
	if (migrator_run(url, NULL, migrations, BEFORE_LIMIT, &applied, &error) < 0)
		fail_msg("%s", error.text);
	free(query("INSERT INTO account (id, name, email) "
		   "VALUES (gen_random_uuid(), 'Ada', 'ada@example.org') RETURNING 1"));
	free(query("WITH added AS (INSERT INTO api_key (id, account_id, name, secret_hash) "
		   "SELECT gen_random_uuid(), id, 'x', sha256(n::text::bytea) "
		   "FROM account, generate_series(1, 1001) AS n RETURNING 1) "
		   "SELECT count(*) FROM added"));
	if (migrate_run(url, NULL, &applied, &error) < 0)
		fail_msg("%s", error.text);
	must_give("UPDATE account SET last_sign_in_at = now() RETURNING key_count", "1001");
}

static void must_be_hours(PGconn *pg, const char *expected)
{
	char *hours = query_over(pg, "EXECUTE hours");

	assert_string_equal(hours, expected);
	free(hours);
}

/* Names of functions that read a clock other than present_time(). */
#define OTHER_CLOCK "~ '(clock|transaction|statement)_timestamp|current_time|\\mnow\\('"

static void test_present_time(void **state)
{
	enum { BEFORE_PRESENT_TIME = 20 };
	struct migrate_error error = {""};
	int applied;
	PGconn *old;
	char *plan;

	(void)state;
	fresh("migrate_time", "UTF8");
	if (migrator_run(url, NULL, migrations, BEFORE_PRESENT_TIME, &applied, &error) < 0)
		fail_msg("%s", error.text);
	/* A program without this migration continues meanwhile, with its prepared statements. */
	old = PQconnectdb(url);
	PQclear(PQexec(old, "SET plan_cache_mode = force_generic_plan; PREPARE hours AS SELECT "
			    "round(milliseconds_until(clock_timestamp() + '2 h') / 3600000.0)"));
	must_be_hours(old, "2");
	if (migrate_run(url, NULL, &applied, &error) < 0)
		fail_msg("%s", error.text);
	must_be_hours(old, "2");
	must_give("SELECT string_agg(proname, ' ') FROM pg_proc "
		  "WHERE pronamespace = 'public'::regnamespace AND prosrc " OTHER_CLOCK,
		  "present_time");
	must_give("SELECT string_agg(adrelid::regclass::text, ' ') FROM pg_attrdef "
		  "WHERE pg_get_expr(adbin, adrelid) " OTHER_CLOCK,
		  "schema_migration");
	plan = query("EXPLAIN (VERBOSE, FORMAT JSON) "
		     "INSERT INTO left_place SELECT 'x' WHERE present_time() > 'epoch'");
	assert_null(strstr(plan, "present_time"));
	assert_non_null(strstr(plan, "clock_timestamp"));
	free(plan);
	/* All connections see a shift at once. */
	free(query("CREATE OR REPLACE FUNCTION present_time() RETURNS timestamptz LANGUAGE sql "
		   "VOLATILE PARALLEL SAFE AS $$ SELECT clock_timestamp() + interval '1 h' $$; "
		   "SELECT 1"));
	must_be_hours(old, "1");
	PQfinish(old);
}

#define A "00000000-0000-0000-0000-00000000000"

/* Rows of each kind whose columns the migration of bounded work fills. */
static const char before_bounded_work[] =
    "INSERT INTO account (id, email, name) VALUES ('" A "1', 'a@x.org', 'A'), "
    "('" A "2', 'b@x.org', 'B');"
    "INSERT INTO app (id, account_id, slug, name, description, status) VALUES "
    "('" A "3', '" A "1', 'one', 'One', 'ABC', 'draft'), ('" A
    "4', NULL, 'two', 'Two', '', 'disabled');"
    "INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum, status, "
    "reviewed_at) VALUES ('" A "5', '" A "3', '1', 'TYPESCRIPT', 'x', 'x', 'APPROVED', now()), "
    "('" A "6', '" A "3', '2', 'TYPESCRIPT', 'x', 'x', 'PENDING', NULL);"
    "INSERT INTO app_schema (version_id, locale, engine, schema, made_at) "
    "VALUES ('" A "5', 'en', 'e', '', '2020-01-01');"
    "INSERT INTO device (id, account_id, name, link_key_hash) "
    "VALUES ('" A "7', '" A "2', 'D', sha256('x'));"
    "INSERT INTO installation (device_id, id, app_id, position) "
    "VALUES ('" A "7', 'app', '" A "3', 1), ('" A "7', 'pushed', NULL, 2);"
    "INSERT INTO api_key (id, account_id, name, secret_hash, revoked_at) "
    "VALUES ('" A "8', '" A "1', 'K', sha256('y'), now()) RETURNING 1";

static void test_bounded_work(void **state)
{
	enum { BEFORE_BOUNDED_WORK = 21 };
	struct migrate_error error = {""};
	int applied;

	(void)state;
	fresh("migrate_work", "UTF8");
	if (migrator_run(url, NULL, migrations, BEFORE_BOUNDED_WORK, &applied, &error) < 0)
		fail_msg("%s", error.text);
	free(query(before_bounded_work));
	if (migrate_run(url, NULL, &applied, &error) < 0)
		fail_msg("%s", error.text);
	must_give("SELECT string_agg(owned_app_count::text, ' ' ORDER BY email) FROM account",
		  "1 0");
	must_give("SELECT string_agg(id || ':' || coalesce(owner_id::text, '-'), ' ' ORDER BY id) "
		  "FROM installation",
		  "app:" A "2 pushed:-");
	must_give("SELECT string_agg(version_id::text, ' ') FROM version_check", A "6");
	must_give("SELECT bool_and(used_at = made_at AND use_count = 0) FROM app_schema", "t");
	must_give("SELECT search_text FROM app WHERE slug = 'one'", "one\none\nabc\n");
	must_give("SELECT is_app_of_others('" A "3', '" A "1') "
		  "AND NOT is_app_of_others('" A "3', '" A "2')",
		  "t");
	/* Changes by an old program are counted, too. */
	must_give("UPDATE app SET account_id = '" A "2' WHERE slug = 'one' RETURNING 1", "1");
	must_give("SELECT string_agg(owned_app_count::text, ' ' ORDER BY email) FROM account",
		  "0 1");
	must_give("DELETE FROM app WHERE slug = 'two' RETURNING 1", "1");
	must_give("SELECT sum(owned_app_count) FROM account", "1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_run),
	    cmocka_unit_test(test_newer),
	    cmocka_unit_test(test_changed_text),
	    cmocka_unit_test(test_gap),
	    cmocka_unit_test(test_failure_leaves_nothing),
	    cmocka_unit_test(test_encoding),
	    cmocka_unit_test(test_connection),
	    cmocka_unit_test(test_at_once),
	    cmocka_unit_test(test_what_is_in_use),
	    cmocka_unit_test(test_without_rights),
	    cmocka_unit_test(test_embedded),
	    cmocka_unit_test(test_account_with_many_keys),
	    cmocka_unit_test(test_present_time),
	    cmocka_unit_test(test_bounded_work),
	};

	return cmocka_run_group_tests(tests, make_tables, NULL);
}

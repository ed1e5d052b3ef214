/* Migrations on their own databases. */
#include "base/require.h"
#include "migrator.h"
#include "support.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static const struct migration list[] = {
    {1, "first", .text = "CREATE TABLE a (x int); INSERT INTO a VALUES (1), (2);"},
    {2, "second",
     .text = "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$BEGIN RETURN 7; END$$;"},
    {3, "third", .text = "SELECT pg_sleep(0.2); CREATE TABLE b (y int DEFAULT f());"},
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

TEST(test_run)
{
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

TEST(test_newer)
{
	fresh("migrate_newer", "UTF8");
	must_apply(3, 3);
	must_refuse(list, 2,
		    "the database is newer than this program: it has migration 3 (third), "
		    "this program knows migrations up to 2");
}

TEST(test_changed_text)
{
	struct migration other[3];

	fresh("migrate_changed", "UTF8");
	must_apply(2, 2);
	memcpy(other, list, sizeof(other));
	other[1].text = "SELECT 1";
	must_refuse(other, 3,
		    "migration 2 (second) was applied to the database with a different text");
	must_give("SELECT to_regclass('b') IS NULL", "t");
}

/* The schema replaces two: its text is that of the second. */
static const struct migration replaced[] = {
    {1, "first", .sha256 = "1111111111111111111111111111111111111111111111111111111111111111"},
    {2, "second", .sha256 = "2222222222222222222222222222222222222222222222222222222222222222",
     .text = "CREATE TABLE a (x int);"},
    {3, "third", .text = "CREATE TABLE b (y int);"},
};

static void must_apply_replaced(int expected)
{
	struct migrate_error error = {""};
	int applied = -1;

	if (migrator_run(url, NULL, replaced, 3, &applied, &error) < 0)
		fail_msg("%s", error.text);
	assert_int_equal(applied, expected);
}

TEST(test_schema)
{
	fresh("migrate_schema", "UTF8");
	must_apply_replaced(3);
	must_apply_replaced(0);
	must_give("SELECT string_agg(number || name || sha256, ',' ORDER BY number) "
		  "FROM schema_migration WHERE number < 3",
		  "1first1111111111111111111111111111111111111111111111111111111111111111,"
		  "2second2222222222222222222222222222222222222222222222222222222222222222");
	must_give("SELECT to_regclass('b') IS NOT NULL", "t");
}

TEST(test_older_than_the_schema)
{
	fresh("migrate_older", "UTF8");
	must_apply_replaced(3);
	free(query("DELETE FROM schema_migration WHERE number > 1 RETURNING 1"));
	must_refuse(replaced, 3,
		    "the database is too old for this program: it has migrations up to 1 (first), "
		    "this program goes on from 2; start displayd of commit f88f1128 with it once, "
		    "then this one");
}

static const struct migration change[] = {
    {1, "first", .text = "CREATE TABLE a (x int); INSERT INTO a VALUES (1), (2);"},
    {2, "second", .text = "ALTER TABLE a ADD COLUMN y int;"},
};

static void *change_in_a_thread(void *applied)
{
	struct migrate_error error = {""};

	if (migrator_run(url, NULL, change, 2, applied, &error) < 0)
		fprintf(stderr, "%s\n", error.text);
	return NULL;
}

/* During a long reading transaction the migration waits, but other readers do not. */
TEST(test_what_is_in_use)
{
	int applied = -1;
	pthread_t thread;
	PGconn *reader;

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

TEST(test_gap)
{
	fresh("migrate_gap", "UTF8");
	must_apply(2, 2);
	free(query("DELETE FROM schema_migration WHERE number = 1 RETURNING 1"));
	must_refuse(list, 3, "the database has migration 2 (second), but not migration 1");
}

TEST(test_failure_leaves_nothing)
{
	struct migration other[2];

	fresh("migrate_failure", "UTF8");
	memcpy(other, list, sizeof(other));
	other[1].text = "CREATE TABLE half (x int); SELECT 1 / 0;";
	must_refuse(other, 2, "migration 2 (second) failed: division by zero");
	must_give("SELECT to_regclass('half') IS NULL", "t");
	must_give("SELECT max(number) FROM schema_migration", "1");
	must_apply(3, 2);
}

TEST(test_encoding)
{
	fresh("migrate_latin", "LATIN1");
	must_refuse(list, 3,
		    "the database has the encoding LATIN1; create it with ENCODING 'UTF8'");
}

TEST(test_connection)
{
	struct migrate_error error = {""};
	int applied;

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

TEST(test_at_once)
{
	pthread_t threads[4];
	int applied[4];
	int sum = 0;

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
TEST(test_without_rights)
{
	char owner[500];

	fresh("migrate_rights", "UTF8");
	must_apply(3, 3);
	memcpy(owner, url, sizeof(owner));
	run_sql("CREATE ROLE guest LOGIN");
	run_sql("GRANT pg_read_all_data TO guest");
	snprintf(url, sizeof(url), "%.*s&options=-crole%%3Dguest", (int)sizeof(url) / 2, owner);
	must_apply(3, 0);
}

/* Tests the migrations that the server contains. */
TEST(test_embedded)
{
	struct migrate_error error = {""};
	int applied;

	fresh("migrate_embedded", "UTF8");
	if (migrate_run(url, NULL, &applied, &error) < 0)
		fail_msg("%s", error.text);
	assert_int_equal(applied, migration_count);
}

static void must_be_hours(PGconn *pg, const char *expected)
{
	char *hours = query_over(pg, "EXECUTE hours");

	assert_string_equal(hours, expected);
	free(hours);
}

/* Names of functions that read a clock other than present_time(). */
#define OTHER_CLOCK "~ '(clock|transaction|statement)_timestamp|current_time|\\mnow\\('"

TEST(test_present_time)
{
	struct migrate_error error = {""};
	int applied;
	PGconn *old;
	char *plan;

	fresh("migrate_time", "UTF8");
	if (migrate_run(url, NULL, &applied, &error) < 0)
		fail_msg("%s", error.text);
	old = PQconnectdb(url);
	PQclear(PQexec(old, "SET plan_cache_mode = force_generic_plan; PREPARE hours AS SELECT "
			    "round(milliseconds_until(clock_timestamp() + '2 h') / 3600000.0)"));
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

RUN_TESTS(make_tables, NULL)

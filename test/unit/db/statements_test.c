/* All statements of sql/query, prepared against a migrated database. */
#include "db/migrate.h"
#include "db/result.h"
#include "db/statement.h"
#include "record/record.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>

static PGconn *pg;

static int migrate(void **state)
{
	struct migrate_error error = {""};
	int applied;

	(void)state;
	if (migrate_run(getenv("DISPLAYD_TEST_DATABASE"), NULL, &applied, &error) < 0) {
		print_error("%s\n", error.text);
		return -1;
	}
	pg = PQconnectdb(getenv("DISPLAYD_TEST_DATABASE"));
	return PQstatus(pg) == CONNECTION_OK ? 0 : -1;
}

static int disconnect(void **state)
{
	(void)state;
	PQfinish(pg);
	return 0;
}

static unsigned faults;

__attribute__((format(printf, 2, 3))) static void fault(const struct statement_entry *statement,
							const char *format, ...)
{
	char text[300];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	print_error("sql/query/%s.sql: %s\n", statement->name, text);
	faults++;
}

static void check_statement(const struct statement_entry *statement)
{
	PGresult *prepared = PQprepare(pg, statement->name, statement->text,
				       (int)statement->parameter_count, statement->parameter_types);
	PGresult *description = PQdescribePrepared(pg, statement->name);
	char text[300];

	if (PQresultStatus(prepared) != PGRES_COMMAND_OK)
		fault(statement, "%s", PQresultErrorMessage(prepared));
	else if (!result_describes(description, statement, text, sizeof(text)))
		fault(statement, "%s", text);
	PQclear(prepared);
	PQclear(description);
}

TEST(test_prepare)
{
	for (int i = 0; i < STATEMENT_COUNT; i++)
		check_statement(&statements[i]);
	assert_int_equal(faults, 0);
}

struct lamp {
	struct id id;
	struct str name;
	struct str note;
	int64_t level;
	bool is_on;
	int64_t number;
};

static const struct record_field lamp_fields[] = {
    RECORD_ID(struct lamp, id, .column = "id"),
    RECORD_STR(struct lamp, name, .column = "name"),
    RECORD_STR(struct lamp, note, .column = "note", .nullable = true),
    RECORD_INT2(struct lamp, level, .column = "level"),
    RECORD_BOOL(struct lamp, is_on, .column = "is_on"),
    RECORD_INT8(struct lamp, number, .column = "number"),
};
static const struct record lamp_record = RECORD(struct lamp, lamp_fields);

/* The row is the same, whether its columns come each by itself or as one. */
static void check_lamps(const char *sql)
{
	PGresult *result = PQexecParams(pg, sql, 0, NULL, NULL, NULL, NULL, 1);
	struct db_result rows = result_rows(result);
	struct arena arena = {0};
	struct lamp *lamps = db_read_rows(&rows, &lamp_record, &arena);

	assert_int_equal(rows.row_count, 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(lamps[i].id.bytes[15], 9);
		assert_true(str_equal(lamps[i].name, i ? STR("") : STR("Desk")));
		assert_true(str_equal(lamps[i].note, i ? STR("by the door") : STR("")));
		assert_int_equal(lamps[i].level, i ? 3 : 77);
		assert_true(lamps[i].is_on == !i);
		assert_int_equal(lamps[i].number, 5);
	}
	arena_finish(&arena);
	PQclear(result);
}

#define LAMPS                                                                                      \
	"FROM (VALUES ('Desk', NULL, 77::minute_of_day, true), ('', 'by the door', "               \
	"3::minute_of_day, false)) "                                                               \
	"AS lamp (name, note, level, is_on)"
#define LAMP_ID "'00000000-0000-0000-0000-000000000009'::uuid"

TEST(test_record_in_one_column)
{
	check_lamps("SELECT " LAMP_ID ", name, note, level, is_on, 5::int8 " LAMPS);
	check_lamps("SELECT ROW(" LAMP_ID ", name, note, level, is_on, 5::int8) AS lamp " LAMPS);
	check_lamps("SELECT ROW(" LAMP_ID ", name) AS first, ROW(note, level, is_on) AS second, "
		    "5::int8 " LAMPS);
}

/* Whether there is such a constraint or unique index, or a function raises its violation. */
static bool constraint_exists(const char *name)
{
	PGresult *result = PQexecParams(pg,
					"SELECT FROM pg_constraint WHERE conname = $1 UNION ALL "
					"SELECT FROM pg_class JOIN pg_index ON indexrelid = oid "
					"WHERE relname = $1 AND indisunique UNION ALL "
					"SELECT FROM pg_proc WHERE strpos(prosrc, "
					"format('CONSTRAINT = %L', $1::text)) > 0",
					1, NULL, &name, NULL, NULL, 0);
	bool exists = PQntuples(result) > 0;

	PQclear(result);
	return exists;
}

/* Constraints that a statement names exist, and each name has one meaning. */
TEST(test_refusals)
{
	for (int i = 0; i < STATEMENT_COUNT; i++) {
		const struct statement_entry *statement = &statements[i];

		for (unsigned j = 0; j < statement->constraint_count; j++) {
			const char *name = statement->constraints[j].constraint;
			size_t length = strspn(name, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
			bool is_sqlstate = (length == 5 || length == 2) && !name[length];

			if (!is_sqlstate && !constraint_exists(name))
				fault(statement, "no constraint is named %s", name);
		}
	}
	assert_int_equal(faults, 0);
}

/* Appends "EXPLAIN EXECUTE name(NULL, ...)". */
static void explain(const struct statement_entry *statement, char *ret_sql, size_t size)
{
	int length = snprintf(ret_sql, size, "EXPLAIN EXECUTE %s", statement->name);

	for (unsigned i = 0; i < statement->parameter_count; i++)
		length +=
		    snprintf(ret_sql + length, size - (size_t)length, "%s", i ? ", NULL" : "(NULL");
	if (statement->parameter_count)
		snprintf(ret_sql + length, size - (size_t)length, ")");
}

/* enable_seqscan, set in src/db/connection_set_up.c, only avoids reading a whole table if there
 * is another way. */
TEST(test_workers_read_no_whole_table)
{
	PQclear(PQexec(pg, "SET plan_cache_mode = force_generic_plan"));
	PQclear(PQexec(pg, "SET enable_seqscan = off"));
	for (int i = 0; i < STATEMENT_COUNT; i++) {
		char sql[400];
		PGresult *result;

		if (statements[i].is_for_ctl)
			continue;
		explain(&statements[i], sql, sizeof(sql));
		result = PQexec(pg, sql);
		if (PQresultStatus(result) != PGRES_TUPLES_OK)
			fault(&statements[i], "%s", PQresultErrorMessage(result));
		for (int row = 0; row < PQntuples(result); row++) {
			if (strstr(PQgetvalue(result, row, 0), "Seq Scan"))
				fault(&statements[i], "%s", PQgetvalue(result, row, 0));
		}
		PQclear(result);
	}
	assert_int_equal(faults, 0);
}

/* Each app has one version, except one with 10,000. These come last in the table and first in the
 * index, so that the planner learns little from the orders. */
static const char few_versions_each[] =
    "INSERT INTO account (id, email, name) VALUES (gen_random_uuid(), 'a@example.org', 'A');"
    "WITH made AS (INSERT INTO app (id, account_id, slug, name) SELECT "
    "overlay(gen_random_uuid()::text PLACING CASE n WHEN 1 THEN '0' ELSE 'f' END FROM 1 FOR 1)"
    "::uuid, id, 'a-' || n, 'A' FROM account, generate_series(1, 2000) AS n RETURNING id, slug) "
    "INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum, status, "
    "reviewed_at) SELECT gen_random_uuid(), id, 'v' || n, 'STARLARK', 'x', "
    "'sha256:' || repeat('0', 64), 'APPROVED', now() "
    "FROM made, generate_series(1, CASE slug WHEN 'a-1' THEN 10000 ELSE 1 END) AS n "
    "ORDER BY slug = 'a-1';"
    "INSERT INTO app_version_comment (version_id, position, author, comment) "
    "SELECT id, 1, 'A', repeat('x', 2000) FROM app_version;"
    "ANALYZE";

static const int lists[] = {STATEMENT_APP_VERSION_LIST, STATEMENT_OWN_VERSION_LIST};

/* Otherwise all versions of an app would be read and sorted to show the newest ones. */
TEST(test_versions_are_read_in_their_order)
{
	PGresult *made = PQexec(pg, few_versions_each);

	assert_string_equal(PQresultErrorMessage(made), "");
	PQclear(made);
	PQclear(PQexec(pg, "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off"));
	for (size_t i = 0; i < array_length(lists); i++) {
		const struct statement_entry *statement = &statements[lists[i]];
		char sql[400];
		PGresult *result;

		explain(statement, sql, sizeof(sql));
		result = PQexec(pg, sql);
		assert_int_equal(PQresultStatus(result), PGRES_TUPLES_OK);
		for (int row = 0; row < PQntuples(result); row++) {
			if (strstr(PQgetvalue(result, row, 0), "Sort"))
				fault(statement, "%s", PQgetvalue(result, row, 0));
		}
		PQclear(result);
	}
	assert_int_equal(faults, 0);
}

static const char many_remarks[] =
    "INSERT INTO app_version_comment (version_id, position, author, comment) "
    "SELECT id, n, 'A', 'x' FROM (SELECT app_version.id FROM app_version "
    "JOIN app ON app.id = app_id WHERE slug = 'a-1' ORDER BY sequence DESC LIMIT 90) AS newest, "
    "generate_series(2, 61) AS n;"
    "ANALYZE";

/* Counts reads by this connection until its counts are sent to the server's statistics. */
static long remarks_read(void)
{
	PGresult *result = PQexec(pg, "SELECT idx_tup_fetch FROM pg_stat_xact_user_tables "
				      "WHERE relname = 'app_version_comment'");
	long count = strtol(PQgetvalue(result, 0, 0), NULL, 10);

	PQclear(result);
	return count;
}

static void check_that_few_remarks_tell(const char *list_name, const char *app_id)
{
	PGresult *list;
	long before;

	PQclear(PQexec(pg, "BEGIN"));
	before = remarks_read();
	list = PQexecPrepared(pg, list_name, 1, &app_id, NULL, NULL, 0);
	assert_int_equal(PQntuples(list), 101);
	assert_string_equal(PQgetvalue(list, 0, PQfnumber(list, "is_large")), "t");
	assert_in_range(remarks_read() - before, 1, 600);
	PQclear(list);
	PQclear(PQexec(pg, "COMMIT"));
}

/* Only part of the remarks is read to find that a list is long. Needs the previous test. */
TEST(test_few_remarks_tell_a_long_list)
{
	PGresult *made = PQexec(pg, many_remarks);
	PGresult *app = PQexec(pg, "SELECT id FROM app WHERE slug = 'a-1'");

	assert_string_equal(PQresultErrorMessage(made), "");
	for (size_t i = 0; i < array_length(lists); i++)
		check_that_few_remarks_tell(statements[lists[i]].name, PQgetvalue(app, 0, 0));
	PQclear(made);
	PQclear(app);
}

/* PostgreSQL accepts them as reads: in a read-only transaction, as a generic plan, which needs no
 * values. The last test: the connection stays read-only. */
TEST(test_reads_are_reads)
{
	PQclear(PQexec(pg, "SET plan_cache_mode = force_generic_plan"));
	PQclear(PQexec(pg, "SET default_transaction_read_only = on"));
	for (int i = 0; i < STATEMENT_COUNT; i++) {
		const char *values[DB_PARAMETERS_MAX] = {NULL};
		PGresult *result;

		if (statements[i].effect != EFFECT_READ)
			continue;
		result = PQexecPrepared(pg, statements[i].name, (int)statements[i].parameter_count,
					values, NULL, NULL, 1);
		if (PQresultStatus(result) != PGRES_TUPLES_OK)
			fault(&statements[i], "%s", PQresultErrorMessage(result));
		PQclear(result);
	}
	assert_int_equal(faults, 0);
}

RUN_TESTS(migrate, disconnect)

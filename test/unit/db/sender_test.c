/* Statements that a connection prepares at their first use. */
#include "metric/metric.h"
#include "support.h"

static struct region_map *counts;

/* Valid statements are answered until the invalid one is first used. Then the database is
 * unavailable until that is valid again. */
TEST_IN(test_changed_before_use, open_usual, close_usual)
{
	run_sql("ALTER TABLE item ADD COLUMN extra int");
	must_be(ask_number(TEST_STATEMENT_ECHO, 1), DB_OK);
	must_be(ask_number(TEST_STATEMENT_ITEM_ALL, 1), DB_UNAVAILABLE);
	assert_false(db_is_up(world.db));
	run_sql("ALTER TABLE item DROP COLUMN extra");
	turn_until(db_is_up(world.db));
	must_be(ask_number(TEST_STATEMENT_ITEM_ALL, 1), DB_OK);
}

/* First uses follow a failing query in one batch: its error skips queries, but every statement is
 * still prepared. */
TEST_IN(test_first_use_behind_a_failure, open_usual, close_usual)
{
	struct asked *failing = ask_number(TEST_STATEMENT_DIVIDE, 0);
	struct asked *behind = ask_number(TEST_STATEMENT_ECHO, 3);
	struct asked *other = ask_number(TEST_STATEMENT_ITEM_ALL, 1);

	must_be(failing, DB_FAILED);
	must_be(behind, DB_OK);
	must_be(other, DB_OK);
	must_be(ask_number(TEST_STATEMENT_ECHO, 4), DB_OK);
}

static uint64_t losses(unsigned role)
{
	return atomic_load(&metric_cells[METRIC_DATABASE_LOSSES][role]);
}

static int make_tables_and_count(void **state)
{
	static const struct region *const regions[] = {&metric_region};

	counts = region_map_create(regions, 1, 1);
	assert_non_null(counts);
	metric_attach(counts, 0);
	return make_tables(state);
}

static int stop_counting(void **state)
{
	(void)state;
	metric_detach();
	region_map_destroy(counts);
	return 0;
}

static PGconn *lock_items(void)
{
	PGconn *pg = PQconnectdb(usual_settings().url);
	PGresult *result = PQexec(pg, "BEGIN; LOCK TABLE item");

	assert_int_equal(PQresultStatus(result), PGRES_COMMAND_OK);
	PQclear(result);
	return pg;
}

/* A preparation blocked by a lock fails its query, as if the query itself had been. The
 * connection, and later queries, continue. */
TEST(test_first_use_behind_a_lock)
{
	PGconn *holder = lock_items();
	struct asked *locked, *behind;
	uint64_t before;

	open_world(NULL);
	before = losses(METRIC_DATABASE_READ);
	for (unsigned i = 0; i < 3; i++) {
		locked = ask_number(TEST_STATEMENT_ITEM_ALL, 1);
		while (!finds("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'"))
			uv_run(&world.loop.uv, UV_RUN_NOWAIT);
		behind = ask_number(TEST_STATEMENT_ECHO, 3);
		uv_run(&world.loop.uv, UV_RUN_NOWAIT);
		run_sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity "
			"WHERE wait_event_type = 'Lock'");
		must_be(locked, DB_UNAVAILABLE);
		must_be(behind, DB_OK);
	}
	PQfinish(holder);
	must_be(ask_number(TEST_STATEMENT_ITEM_ALL, 1), DB_OK);
	assert_int_equal(losses(METRIC_DATABASE_READ), before);
	close_world();
}

/* The write waits for the lock on a retry connection, as it does once prepared. */
TEST(test_first_write_behind_a_lock)
{
	PGconn *holder = lock_items();
	struct asked *locked;
	uint64_t before;

	open_world(NULL);
	before = losses(METRIC_DATABASE_WRITE);
	locked = ask(TEST_STATEMENT_ITEM_ADD);
	db_add_int8(&locked->query.parameters, 70);
	db_add_text(&locked->query.parameters, STR("seventy"));
	submit(locked);
	must_be(ask_number(TEST_STATEMENT_BACKEND_WRITE, 1), DB_OK);
	assert_false(locked->done);
	PQfinish(holder);
	must_be(locked, DB_OK);
	assert_int_equal(losses(METRIC_DATABASE_WRITE), before);
	close_world();
}

/* A write whose statement is invalid on this database has not run, so it waits for the next
 * connection. */
TEST(test_first_write_does_not_fit)
{
	struct db_settings settings = usual_settings();
	struct asked *asked;
	uint64_t before = losses(METRIC_DATABASE_WRITE);

	run_sql("ALTER TABLE item RENAME COLUMN name TO label");
	world = (struct world){0};
	assert_int_equal(loop_init(&world.loop), 0);
	world.db = db_create(&world.loop, &settings);
	turn_until(db_is_up(world.db));
	asked = ask(TEST_STATEMENT_ITEM_ADD);
	db_add_int8(&asked->query.parameters, 71);
	db_add_text(&asked->query.parameters, STR("seventy-one"));
	submit(asked);
	turn_until(losses(METRIC_DATABASE_WRITE) != before);
	run_sql("ALTER TABLE item RENAME COLUMN label TO name");
	must_be(asked, DB_OK);
	close_world();
}

RUN_TESTS(make_tables_and_count, stop_counting)

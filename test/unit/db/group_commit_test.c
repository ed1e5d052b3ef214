/* Writes that share a commit: the error of one does not affect the others. */
#include "pipeline.h"
#include "support.h"

#include <stdio.h>

enum { FEW = 8, MANY = 3 * PIPELINE_SHARED_WRITES };

static int open_with_two_items(void **state)
{
	(void)state;
	run_sql("DELETE FROM item WHERE id > 2; DELETE FROM let_go");
	open_world(NULL);
	return 0;
}

struct item {
	int64_t id;
	const char *name;
	int64_t parent; /* 0: none */
	double seconds; /* below 0: until let_go() */
};

static struct asked *put(struct item item)
{
	struct asked *asked = ask(TEST_STATEMENT_ITEM_PUT);
	struct db_parameters *parameters = &asked->query.parameters;

	db_add_int8(parameters, item.id);
	db_add_text(parameters, arena_copy(&asked->arena, str_from(item.name)));
	if (item.parent)
		db_add_int8(parameters, item.parent);
	else
		db_add_null(parameters);
	db_add_float8(parameters, item.seconds);
	submit(asked);
	return asked;
}

static struct asked *put_number(int number)
{
	char name[20];

	snprintf(name, sizeof(name), "item-%d", number);
	return put((struct item){.id = 1000 + number, .name = name});
}

/* Puts an item whose transaction is under way until let_go(). */
static struct asked *hold(void)
{
	struct asked *held = put((struct item){.id = 10, .name = "held", .seconds = -1});

	while (!somebody_sleeps())
		uv_run(&world.loop.uv, UV_RUN_NOWAIT);
	return held;
}

static void let_go(void)
{
	run_sql("INSERT INTO let_go VALUES (1)");
}

/* Returns the time at which its transaction began. */
static int64_t expect_done(struct asked *asked)
{
	int64_t began;

	wait_for(asked);
	assert_int_equal(asked->outcome, DB_OK);
	assert_int_equal(asked->row_count, 1);
	began = asked->number;
	forget(asked);
	return began;
}

static void expect_refused(struct asked *asked, enum test_constraint_error constraint_error)
{
	wait_for(asked);
	assert_int_equal(asked->outcome, DB_CONSTRAINT);
	assert_int_equal(asked->constraint_error, constraint_error);
	assert_int_equal(asked->row_count, 0);
	forget(asked);
}

static void expect_unavailable(struct asked *asked)
{
	wait_for(asked);
	assert_int_equal(asked->outcome, DB_UNAVAILABLE);
	forget(asked);
}

static void expect_items(const char *condition, const char *count)
{
	PGconn *pg = PQconnectdb(usual_settings().url);
	char sql[200];
	PGresult *result;

	snprintf(sql, sizeof(sql), "SELECT count(*) FROM item WHERE %s", condition);
	result = PQexec(pg, sql);
	assert_string_equal(PQgetvalue(result, 0, 0), count);
	PQclear(result);
	PQfinish(pg);
}

#define SHARED_TEST(name) TEST_IN(name, open_with_two_items, close_usual)

SHARED_TEST(test_together)
{
	struct asked *asked[MANY];
	int64_t began[MANY];

	for (int i = 0; i < MANY; i++)
		asked[i] = put_number(i);
	for (int i = 0; i < MANY; i++) {
		wait_for(asked[i]);
		assert_int_equal(asked[i]->place, i + 1);
		began[i] = expect_done(asked[i]);
		assert_int_equal(began[i], began[i - i % PIPELINE_SHARED_WRITES]);
	}
	assert_true(began[0] != began[PIPELINE_SHARED_WRITES]);
	expect_items("id >= 1000", "96");
}

/* Writes that come one by one while a commit is under way. */
SHARED_TEST(test_those_that_wait_share_the_next_commit)
{
	struct asked *held = hold();
	struct asked *asked[FEW];
	int64_t held_began, began;

	for (int i = 0; i < FEW; i++) {
		asked[i] = put_number(i);
		uv_run(&world.loop.uv, UV_RUN_NOWAIT);
	}
	assert_false(held->done);
	let_go();
	held_began = expect_done(held);
	began = expect_done(asked[0]);
	assert_true(began != held_began);
	for (int i = 1; i < FEW; i++)
		assert_int_equal(expect_done(asked[i]), began);
}

/* Writes that are not sent yet are not lost with the connection. */
SHARED_TEST(test_a_full_batch_is_sent_at_once)
{
	struct asked *held = hold();
	struct asked *asked[PIPELINE_SHARED_WRITES + FEW];

	for (int i = 0; i < PIPELINE_SHARED_WRITES + FEW; i++)
		asked[i] = put_number(i);
	for (int i = 0; i < FEW; i++)
		uv_run(&world.loop.uv, UV_RUN_NOWAIT);
	run_sql(
	    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
	expect_unavailable(held);
	for (int i = 0; i < PIPELINE_SHARED_WRITES; i++)
		expect_unavailable(asked[i]);
	for (int i = 0; i < FEW; i++)
		expect_done(asked[PIPELINE_SHARED_WRITES + i]);
}

/* No write is answered before all of them are committed. */
SHARED_TEST(test_answered_after_the_commit)
{
	struct asked *first = put((struct item){.id = 10, .name = "first"});
	struct asked *second = put((struct item){.id = 11, .name = "second", .seconds = 0.2});

	wait_for(first);
	assert_true(second->done || first->place == 1);
	expect_items("id IN (10, 11)", "2");
	expect_done(first);
	expect_done(second);
}

/* All batches take their locks in the order of their keys, and writes that share a key keep their
 * order. */
SHARED_TEST(test_order_of_keys)
{
	struct asked *asked[FEW];
	char name[20];

	for (int i = 0; i < FEW; i++) {
		snprintf(name, sizeof(name), "name-%d", i);
		asked[i] = put((struct item){.id = 20 - i / 2, .name = name});
	}
	for (int i = 0; i < FEW; i++) {
		wait_for(asked[i]);
		/* 6, 7, 4, 5, 2, 3, 0, 1 */
		assert_int_equal(asked[i]->place, FEW - (i - i % 2) - 2 + i % 2 + 1);
		expect_done(asked[i]);
	}
	expect_items(
	    "(id, name) IN ((20, 'name-1'), (19, 'name-3'), (18, 'name-5'), (17, 'name-7'))", "4");
}

SHARED_TEST(test_only_the_culprit_is_refused)
{
	struct asked *asked[FEW];
	int64_t began[FEW] = {0};

	for (int i = 0; i < FEW; i++)
		asked[i] = i == 3 ? put((struct item){.id = 1003, .name = "one"}) : put_number(i);
	for (int i = 0; i < FEW; i++) {
		if (i == 3)
			expect_refused(asked[i], TEST_CONSTRAINT_NAME_TAKEN);
		else
			began[i] = expect_done(asked[i]);
	}
	assert_true(began[0] != began[1] && began[4] != began[5]); /* each had its own commit */
	expect_items("id >= 1000", "7");
}

/* The first of two writes that exclude each other succeeds, however the batch ran. */
SHARED_TEST(test_first_comes_first)
{
	struct asked *first = put((struct item){.id = 30, .name = "same"});
	struct asked *second = put((struct item){.id = 31, .name = "same"});

	expect_done(first);
	expect_refused(second, TEST_CONSTRAINT_NAME_TAKEN);
	expect_items("id = 30", "1");
}

/* The error appears only at the commit. */
SHARED_TEST(test_commit_refused)
{
	struct asked *asked[FEW];

	for (int i = 0; i < FEW; i++)
		asked[i] = i == 5 ? put((struct item){.id = 1005, .name = "c", .parent = 999999})
				  : put_number(i);
	for (int i = 0; i < FEW; i++) {
		if (i == 5)
			expect_refused(asked[i], TEST_CONSTRAINT_NO_PARENT);
		else
			expect_done(asked[i]);
	}
	expect_items("id >= 1000", "7");
}

SHARED_TEST(test_others_between)
{
	struct asked *first = put_number(1);
	struct asked *alone = ask(TEST_STATEMENT_ITEM_ADD);
	struct asked *last;

	db_add_int8(&alone->query.parameters, 40);
	db_add_text(&alone->query.parameters, STR("alone"));
	submit(alone);
	last = put_number(2);
	wait_for(last);
	assert_true(first->place < alone->place && alone->place < last->place);
	assert_int_equal(alone->outcome, DB_OK);
	forget(alone);
	assert_true(expect_done(first) != expect_done(last));
}

/* The first two have run and wait for the commit when the third is interrupted. */
SHARED_TEST(test_connection_breaks)
{
	struct asked *asked[4];

	expect_done(put_number(0)); /* the connection was used */
	for (int i = 0; i < 4; i++)
		asked[i] = put((struct item){.id = 50 + i,
					     .name = (const char[]){(char)('a' + i), 0},
					     .seconds = i == 2 ? 5000 : 0});
	while (!somebody_sleeps())
		uv_run(&world.loop.uv, UV_RUN_NOWAIT);
	run_sql(
	    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
	for (int i = 0; i < 3; i++)
		expect_unavailable(asked[i]);
	/* If the server has reported that it skips the last one, that one is repeated. */
	wait_for(asked[3]);
	expect_items("id >= 50 AND id < 60", asked[3]->outcome == DB_OK ? "1" : "0");
	forget(asked[3]);
	expect_done(put_number(1));
}

TEST(test_closed_under_way)
{
	struct asked *asked[3];

	run_sql("DELETE FROM item WHERE id > 2");
	open_world(NULL);
	for (int i = 0; i < 3; i++)
		asked[i] = put((struct item){.id = 60 + i,
					     .name = (const char[]){(char)('a' + i), 0},
					     .seconds = i == 1 ? 5000 : 0});
	while (!somebody_sleeps())
		uv_run(&world.loop.uv, UV_RUN_NOWAIT);
	close_world_after(0);
	for (int i = 0; i < 3; i++)
		expect_unavailable(asked[i]);
}

static struct asked *nap(double seconds)
{
	struct asked *asked = ask(TEST_STATEMENT_NAP_WRITE);

	db_add_float8(&asked->query.parameters, seconds);
	submit(asked);
	return asked;
}

/* The only connection at rest has a write that takes its time: another is opened for those behind.
 * They prefer it even while others are under way there. */
TEST(test_a_slow_write_does_not_hold_them_up)
{
	struct db_settings settings = usual_settings();
	struct asked *slow, *short_one, *first, *second;

	run_sql("DELETE FROM item WHERE id > 2");
	settings.write_connections = 2;
	settings.on_demand_idle_ms = 60 * 1000;
	open_world(&settings);
	slow = nap(5000);
	while (!somebody_sleeps())
		uv_run(&world.loop.uv, UV_RUN_NOWAIT);
	first = put_number(1);
	while (!first->done)
		uv_run(&world.loop.uv, UV_RUN_NOWAIT);
	short_one = nap(0.1);
	uv_run(&world.loop.uv, UV_RUN_NOWAIT);
	second = put_number(2);
	wait_for(second);
	assert_false(slow->done);
	assert_true(short_one->done);
	forget(short_one);
	expect_done(first);
	expect_done(second);
	close_world_after(0);
	expect_unavailable(slow);
}

RUN_TESTS(make_tables, NULL)

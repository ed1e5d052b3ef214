/* Batched reads have the same results as single ones. */
#include "batched_read.h"
#include "support.h"

#include <stdio.h>

enum { MANY = 64 };

static int open_usual(void **state)
{
	(void)state;
	open_world(NULL);
	return 0;
}

static int close_usual(void **state)
{
	(void)state;
	close_world();
	return 0;
}

static void expect_text(struct asked *asked, const char *text)
{
	wait_for(asked);
	assert_int_equal(asked->outcome, DB_OK);
	assert_int_equal(asked->row_count, 1);
	assert_string_equal(asked->text, text);
	forget(asked);
}

static void expect_quotient(struct asked *asked, const char *how, int divisor)
{
	char text[40];

	snprintf(text, sizeof(text), "%s %d", how, 100 / divisor);
	expect_text(asked, text);
}

static void test_one_is_asked_alone(void **state)
{
	(void)state;
	expect_quotient(ask_number(TEST_STATEMENT_QUOTIENT, 7), "alone", 7);
}

static void test_many_are_asked_together(void **state)
{
	struct asked *asked[MANY];

	(void)state;
	for (int i = 0; i < MANY; i++)
		asked[i] = ask_number(TEST_STATEMENT_QUOTIENT, 1 + i / 2); /* each key twice */
	for (int i = 0; i < MANY; i++) {
		wait_for(asked[i]);
		assert_int_equal(asked[i]->place, i + 1);
		expect_quotient(asked[i], "together", 1 + i / 2);
	}
}

/* Reads beyond the limit of a batched read are divided among several. */
static void test_more_than_many(void **state)
{
	enum { COUNT = 3 * BATCHED_READ_MAX + 1 };
	static struct asked *asked[COUNT];

	(void)state;
	for (int i = 0; i < COUNT; i++)
		asked[i] = ask_number(TEST_STATEMENT_QUOTIENT, 1 + i);
	for (int i = 0; i < COUNT; i++)
		expect_quotient(asked[i], i == COUNT - 1 ? "alone" : "together", 1 + i);
}

static void test_each_gets_its_rows(void **state)
{
	struct asked *asked[MANY];
	char text[40];

	(void)state;
	for (int i = 0; i < MANY; i++)
		asked[i] = ask_number(TEST_STATEMENT_SERIES, i * 7 % 5);
	for (int i = 0; i < MANY; i++) {
		int count = i * 7 % 5;

		wait_for(asked[i]);
		assert_int_equal(asked[i]->outcome, DB_OK);
		assert_int_equal(asked[i]->row_count, count);
		snprintf(text, sizeof(text), "together %d 1", count);
		assert_string_equal(asked[i]->text, count ? text : "");
		forget(asked[i]);
	}
}

static void test_statements_mixed(void **state)
{
	struct asked *asked[MANY];

	(void)state;
	for (int i = 0; i < MANY; i++) {
		unsigned statement = i % 3 == 0	  ? TEST_STATEMENT_QUOTIENT
				     : i % 3 == 1 ? TEST_STATEMENT_SERIES
						  : TEST_STATEMENT_ECHO;

		asked[i] = ask_number(statement, 1);
	}
	for (int i = 0; i < MANY; i++) {
		if (i % 3 == 0) {
			expect_text(asked[i], "together 100");
		} else if (i % 3 == 1) {
			expect_text(asked[i], "together 1 1");
		} else {
			wait_for(asked[i]);
			assert_int_equal(asked[i]->number, 1);
			forget(asked[i]);
		}
	}
}

static void test_no_key(void **state)
{
	struct asked *asked[3];

	(void)state;
	for (int i = 0; i < 3; i++) {
		asked[i] = ask(TEST_STATEMENT_QUOTIENT);
		if (i == 1)
			db_add_null(&asked[i]->query.parameters);
		else
			db_add_int8(&asked[i]->query.parameters, 5);
		submit(asked[i]);
	}
	expect_text(asked[0], "together 20");
	wait_for(asked[1]);
	assert_int_equal(asked[1]->row_count, 1);
	assert_int_equal(asked[1]->length, 0);
	forget(asked[1]);
	expect_text(asked[2], "together 20");
}

static void test_only_the_culprit_fails(void **state)
{
	struct asked *asked[MANY];

	(void)state;
	for (int i = 0; i < MANY; i++)
		asked[i] = ask_number(TEST_STATEMENT_QUOTIENT, i == 31 ? 0 : i + 1);
	for (int i = 0; i < MANY; i++) {
		if (i == 31) {
			wait_for(asked[i]);
			assert_int_equal(asked[i]->outcome, DB_FAILED);
			forget(asked[i]);
		} else {
			expect_quotient(asked[i], "alone", i + 1);
		}
	}
}

/* After an error the server skips the rest of the batch, including batched reads. */
static void test_behind_a_culprit(void **state)
{
	struct asked *culprit = ask_number(TEST_STATEMENT_DIVIDE, 0);
	struct asked *asked[MANY];

	(void)state;
	for (int i = 0; i < MANY; i++)
		asked[i] = ask_number(TEST_STATEMENT_QUOTIENT, i + 1);
	wait_for(culprit);
	assert_int_equal(culprit->outcome, DB_FAILED);
	forget(culprit);
	for (int i = 0; i < MANY; i++)
		expect_quotient(asked[i], "alone", i + 1);
}

static void test_rows_in_disorder(void **state)
{
	struct asked *a = ask_number(TEST_STATEMENT_MUDDLE, 2);
	struct asked *b = ask_number(TEST_STATEMENT_MUDDLE, 2);

	(void)state;
	wait_for(a);
	wait_for(b);
	assert_int_equal(a->row_count, 2);
	assert_string_equal(a->text, "alone 2 1");
	assert_int_equal(b->row_count, 2);
	assert_string_equal(b->text, "alone 2 1");
	forget(a);
	forget(b);
}

static struct asked *ask_sleeper(double seconds)
{
	struct asked *asked = ask(TEST_STATEMENT_SLEEPER);

	db_add_float8(&asked->query.parameters, seconds);
	submit(asked);
	return asked;
}

/* Reads are repeated once if the connection breaks, like any read. */
static void test_connection_breaks(void **state)
{
	struct asked *asked[3];

	(void)state;
	/* Unused connections are not waited for. */
	expect_quotient(ask_number(TEST_STATEMENT_QUOTIENT, 1), "alone", 1);
	for (int i = 0; i < 3; i++)
		asked[i] = ask_sleeper(0.3);
	while (!somebody_sleeps())
		uv_run(&world.loop.uv, UV_RUN_NOWAIT);
	run_sql(
	    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
	for (int i = 0; i < 3; i++)
		expect_text(asked[i], "together");
}

static void test_closed_under_way(void **state)
{
	struct asked *asked[3];

	(void)state;
	open_world(NULL);
	for (int i = 0; i < 3; i++)
		asked[i] = ask_sleeper(5000);
	while (!somebody_sleeps())
		uv_run(&world.loop.uv, UV_RUN_NOWAIT);
	close_world_after(0);
	for (int i = 0; i < 3; i++) {
		assert_true(asked[i]->done);
		assert_int_equal(asked[i]->outcome, DB_UNAVAILABLE);
		forget(asked[i]);
	}
}

#define GATHER_TEST(name) cmocka_unit_test_setup_teardown(name, open_usual, close_usual)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    GATHER_TEST(test_one_is_asked_alone),     GATHER_TEST(test_many_are_asked_together),
	    GATHER_TEST(test_more_than_many),	      GATHER_TEST(test_each_gets_its_rows),
	    GATHER_TEST(test_statements_mixed),	      GATHER_TEST(test_no_key),
	    GATHER_TEST(test_only_the_culprit_fails), GATHER_TEST(test_behind_a_culprit),
	    GATHER_TEST(test_rows_in_disorder),	      GATHER_TEST(test_connection_breaks),
	    cmocka_unit_test(test_closed_under_way),
	};

	return cmocka_run_group_tests(tests, make_tables, NULL);
}

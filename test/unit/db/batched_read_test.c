/* Batched reads have the same results as single ones. */
#include "batched_read.h"
#include "support.h"

#include <stdio.h>

enum { MANY = 64 };

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

#define GATHER_TEST(name) TEST_IN(name, open_usual, close_usual)

GATHER_TEST(test_one_is_asked_alone)
{
	expect_quotient(ask_number(TEST_STATEMENT_QUOTIENT, 7), "alone", 7);
}

GATHER_TEST(test_many_are_asked_together)
{
	struct asked *asked[MANY];

	for (int i = 0; i < MANY; i++)
		asked[i] = ask_number(TEST_STATEMENT_QUOTIENT, 1 + i / 2); /* each key twice */
	for (int i = 0; i < MANY; i++) {
		wait_for(asked[i]);
		assert_int_equal(asked[i]->place, i + 1);
		expect_quotient(asked[i], "together", 1 + i / 2);
	}
}

/* Reads beyond the limit of a batched read are divided among several. */
GATHER_TEST(test_more_than_many)
{
	enum { COUNT = 3 * BATCHED_READ_MAX + 1 };
	static struct asked *asked[COUNT];

	for (int i = 0; i < COUNT; i++)
		asked[i] = ask_number(TEST_STATEMENT_QUOTIENT, 1 + i);
	for (int i = 0; i < COUNT; i++)
		expect_quotient(asked[i], i == COUNT - 1 ? "alone" : "together", 1 + i);
}

GATHER_TEST(test_each_gets_its_rows)
{
	struct asked *asked[MANY];
	char text[40];

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

GATHER_TEST(test_statements_mixed)
{
	struct asked *asked[MANY];

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

GATHER_TEST(test_no_key)
{
	struct asked *asked[3];

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

GATHER_TEST(test_only_the_culprit_fails)
{
	struct asked *asked[MANY];

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
GATHER_TEST(test_behind_a_culprit)
{
	struct asked *culprit = ask_number(TEST_STATEMENT_DIVIDE, 0);
	struct asked *asked[MANY];

	for (int i = 0; i < MANY; i++)
		asked[i] = ask_number(TEST_STATEMENT_QUOTIENT, i + 1);
	wait_for(culprit);
	assert_int_equal(culprit->outcome, DB_FAILED);
	forget(culprit);
	for (int i = 0; i < MANY; i++)
		expect_quotient(asked[i], "alone", i + 1);
}

GATHER_TEST(test_rows_in_disorder)
{
	struct asked *a = ask_number(TEST_STATEMENT_MUDDLE, 2);
	struct asked *b = ask_number(TEST_STATEMENT_MUDDLE, 2);

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
GATHER_TEST(test_connection_breaks)
{
	struct asked *asked[3];

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

TEST(test_closed_under_way)
{
	struct asked *asked[3];

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

RUN_TESTS(make_tables, NULL)

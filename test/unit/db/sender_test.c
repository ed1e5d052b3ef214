/* Statements that a first connection prepares when they are first used. */
#include "support.h"

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

static void must_be(struct asked *asked, enum db_outcome outcome)
{
	wait_for(asked);
	assert_int_equal(asked->outcome, outcome);
	forget(asked);
}

/* Statements that fit are answered until the one that does not is first used. Then there is no
 * database, until it fits again. */
static void test_changed_before_use(void **state)
{
	(void)state;
	run_sql("ALTER TABLE item ADD COLUMN extra int");
	must_be(ask_number(TEST_STATEMENT_ECHO, 1), DB_OK);
	must_be(ask_number(TEST_STATEMENT_ITEM_ALL, 1), DB_UNAVAILABLE);
	assert_false(db_is_up(world.db));
	run_sql("ALTER TABLE item DROP COLUMN extra");
	turn_until(db_is_up(world.db));
	must_be(ask_number(TEST_STATEMENT_ITEM_ALL, 1), DB_OK);
}

/* In one batch, first uses behind a query that fails: its error skips queries, but prepares no
 * statement less. */
static void test_first_use_behind_a_failure(void **state)
{
	struct asked *failing = ask_number(TEST_STATEMENT_DIVIDE, 0);
	struct asked *behind = ask_number(TEST_STATEMENT_ECHO, 3);
	struct asked *other = ask_number(TEST_STATEMENT_ITEM_ALL, 1);

	(void)state;
	must_be(failing, DB_FAILED);
	must_be(behind, DB_OK);
	must_be(other, DB_OK);
	must_be(ask_number(TEST_STATEMENT_ECHO, 4), DB_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_changed_before_use, open_usual, close_usual),
	    cmocka_unit_test_setup_teardown(test_first_use_behind_a_failure, open_usual,
					    close_usual),
	};

	return cmocka_run_group_tests(tests, make_tables, NULL);
}

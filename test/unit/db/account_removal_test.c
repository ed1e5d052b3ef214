#include "../cmocka_test.h"
#include "base/arena.h"
#include "db/account_removal.h"

static struct account_removal removal;

/* Returns the limit of the next statement. */
static int64_t next_limit(void)
{
	struct arena arena = {0};
	struct db_query query;

	db_query_init(&query, &arena);
	assert_true(account_removal_next(&removal, &query, NULL));
	arena_finish(&arena);
	return removal.row_limit;
}

static void take(bool is_left, uint64_t took_ms)
{
	struct removed_portion portion = {.removed = 1, .is_left = is_left};

	/* The pause for others is as long as the portion. */
	assert_int_equal(account_removal_take(&removal, &portion, took_ms), took_ms);
}

static void go_to(enum account_removal_step step)
{
	account_removal_begin(&removal, (struct id){0});
	while (removal.step != step)
		take(false, 1);
}

TEST(portions_fit_the_time_that_they_take)
{
	go_to(REMOVAL_OF_DEVICES);
	assert_int_equal(next_limit(), 20); /* after the keys, which took little time */
	for (int i = 0; i < 10; i++)
		take(true, 1);
	assert_int_equal(next_limit(), 100);
	take(true, 21);
	assert_int_equal(next_limit(), 50);
	take(true, 15);
	assert_int_equal(next_limit(), 50);
}

/* Checks from the first portion on, however many rows fitted before. */
TEST(portions_of_large_rows_are_small)
{
	static const enum account_removal_step steps[] = {REMOVAL_OF_SCHEMAS, REMOVAL_OF_VERSIONS};

	for (unsigned i = 0; i < 2; i++) {
		go_to(steps[i]);
		assert_int_equal(next_limit(), 10);
		take(true, 21); /* counts from 10 */
		assert_int_equal(next_limit(), 5);
	}
}

TEST(what_failed_is_tried_with_fewer_rows)
{
	go_to(REMOVAL_OF_VERSIONS);
	assert_int_equal(next_limit(), 10);
	for (int i = 0; i < 10; i++)
		account_removal_failed(&removal);
	assert_int_equal(next_limit(), 1);
	assert_int_equal(removal.step, REMOVAL_OF_VERSIONS);
}

/* Otherwise its installations would go with it, all at once. */
TEST(an_app_that_was_marked_meanwhile_goes_in_portions)
{
	struct removed_portion portion = {.removed = 0, .is_left = true};

	go_to(REMOVAL_OF_APPS);
	assert_true(account_removal_take(&removal, &portion, 1) > 0);
	assert_int_equal(removal.step, REMOVAL_OF_INSTALLATIONS);
}

TEST(what_was_made_meanwhile_goes_too)
{
	go_to(REMOVAL_OF_ACCOUNT);
	take(true, 1);
	assert_int_equal(removal.step, REMOVAL_OF_KEYS);
	go_to(REMOVAL_OF_ACCOUNT);
	take(false, 1);
	assert_true(removal.has_removed);
	assert_int_equal(removal.step, REMOVAL_DONE);
}

RUN_TESTS(NULL, NULL)

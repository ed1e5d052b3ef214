/* Wants: each place once, the accounts in turns, bounded. */
#include "../cmocka_test.h"
#include "wants.h"

#include <string.h>

static uint64_t now_ms = 1000;

static struct upcoming_app app(unsigned account, unsigned place)
{
	struct upcoming_app app = {0};

	memcpy(app.place, &place, sizeof(place));
	app.account_id.bytes[0] = (uint8_t)account;
	return app;
}

static bool add(struct wants *wants, unsigned account, unsigned place)
{
	struct upcoming_app wanted = app(account, place);

	return wants_add(wants, &wanted, now_ms);
}

static unsigned place_of(const struct want *want)
{
	unsigned place;

	memcpy(&place, want->app.place, sizeof(place));
	return place;
}

static void a_place_is_wanted_once_until_it_ends(void **state)
{
	struct wants wants;
	struct want *want;

	(void)state;
	wants_init(&wants, 10);
	assert_true(add(&wants, 1, 7));
	assert_true(add(&wants, 2, 7));
	want = wants_take(&wants, now_ms);
	assert_int_equal(place_of(want), 7);
	assert_null(wants_take(&wants, now_ms));
	assert_true(add(&wants, 2, 7)); /* it is under way */
	assert_null(wants_take(&wants, now_ms));
	want_end(&wants, want);
	assert_true(add(&wants, 2, 7));
	want = wants_take(&wants, now_ms);
	assert_non_null(want);
	want_end(&wants, want);
	wants_finish(&wants);
}

static void accounts_take_turns(void **state)
{
	static const unsigned order[] = {1, 11, 2, 3};
	struct wants wants;

	(void)state;
	wants_init(&wants, 100);
	for (unsigned i = 1; i <= 3; i++)
		assert_true(add(&wants, 1, i));
	assert_true(add(&wants, 2, 11));
	for (unsigned i = 0; i < array_length(order); i++) {
		struct want *want = wants_take(&wants, now_ms);

		assert_int_equal(place_of(want), order[i]);
		want_end(&wants, want);
	}
	wants_finish(&wants);
}

static void an_account_has_a_few_at_a_time(void **state)
{
	struct want *taken[WANTS_OF_ACCOUNT_MAX];
	struct want *other;
	struct wants wants;

	(void)state;
	wants_init(&wants, 100);
	for (unsigned i = 0; i <= WANTS_OF_ACCOUNT_MAX; i++)
		assert_true(add(&wants, 1, i));
	for (unsigned i = 0; i < WANTS_OF_ACCOUNT_MAX; i++)
		taken[i] = wants_take(&wants, now_ms);
	assert_null(wants_take(&wants, now_ms));
	assert_true(add(&wants, 2, 1000));
	other = wants_take(&wants, now_ms);
	assert_int_equal(place_of(other), 1000);
	want_end(&wants, other);
	assert_null(wants_take(&wants, now_ms));
	want_end(&wants, taken[1]);
	taken[1] = wants_take(&wants, now_ms);
	assert_int_equal(place_of(taken[1]), WANTS_OF_ACCOUNT_MAX);
	for (unsigned i = 0; i < WANTS_OF_ACCOUNT_MAX; i++)
		want_end(&wants, taken[i]);
	wants_finish(&wants);
}

static void an_account_leaves_room_for_others(void **state)
{
	struct wants wants;
	unsigned of_first = 0, of_second = 0;

	(void)state;
	wants_init(&wants, 90);
	while (add(&wants, 1, of_first))
		of_first++;
	while (add(&wants, 2, 1000 + of_second))
		of_second++;
	assert_int_equal(of_first, 45);
	assert_in_range(of_second, 22, 23);
	assert_true(add(&wants, 3, 2000));
	wants_finish(&wants);
}

static void what_waits_has_the_version_that_was_wanted_last(void **state)
{
	struct upcoming_app wanted = app(1, 7);
	struct wants wants;
	struct want *want;

	(void)state;
	wants_init(&wants, 10);
	wanted.version_id.bytes[0] = 1;
	assert_true(wants_add(&wants, &wanted, now_ms));
	wanted.version_id.bytes[0] = 2;
	assert_true(wants_add(&wants, &wanted, now_ms));
	want = wants_take(&wants, now_ms);
	assert_int_equal(want->app.version_id.bytes[0], 2);
	wanted.version_id.bytes[0] = 3; /* it is being rendered */
	assert_true(wants_add(&wants, &wanted, now_ms));
	assert_int_equal(want->app.version_id.bytes[0], 2);
	want_end(&wants, want);
	wants_finish(&wants);
}

static void what_nobody_repeats_is_dropped(void **state)
{
	struct wants wants;
	struct want *want;

	(void)state;
	wants_init(&wants, 10);
	assert_true(add(&wants, 1, 7));
	assert_true(add(&wants, 1, 8));
	now_ms += WANT_MS;
	assert_true(add(&wants, 2, 8)); /* by another panel */
	now_ms += 1;
	want = wants_take(&wants, now_ms);
	assert_int_equal(place_of(want), 8);
	assert_null(wants_take(&wants, now_ms));
	assert_int_equal(wants.count, 1);
	want_end(&wants, want);
	wants_finish(&wants);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_place_is_wanted_once_until_it_ends),
	    cmocka_unit_test(what_waits_has_the_version_that_was_wanted_last),
	    cmocka_unit_test(what_nobody_repeats_is_dropped),
	    cmocka_unit_test(accounts_take_turns),
	    cmocka_unit_test(an_account_has_a_few_at_a_time),
	    cmocka_unit_test(an_account_leaves_room_for_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

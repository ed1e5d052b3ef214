#include "../cmocka_test.h"
#include "base/limits.h"
#include "http/body_pace.h"
#include "http/body_share.h"

enum { ALL = 1000 };

/* Takes what it gets, 10 bytes at a time; how much that was. */
static size_t take_all(struct body_share *share)
{
	size_t bytes = 0;

	while (body_share_take(share, 10, ALL))
		bytes += 10;
	return bytes;
}

static void a_greedy_caller_leaves_room_for_others(void **state)
{
	struct body_share *one = body_share_join(STR("one"));
	struct body_share *two = body_share_join(STR("two"));
	struct body_share *three = body_share_join(STR("three"));
	size_t first, second, third;

	(void)state;
	first = take_all(one);
	assert_in_range(first, 490, 510);
	second = take_all(two);
	assert_in_range(second, 240, 260);
	third = take_all(three);
	assert_in_range(third, 110, 130);
	assert_false(body_share_take(one, 1, ALL));
	body_share_leave(one, first);
	assert_true(body_share_take(three, 100, ALL));
	body_share_leave(two, second);
	body_share_leave(three, third + 100);
}

static void bodies_of_a_caller_share(void **state)
{
	struct body_share *one = body_share_join(STR("one"));
	struct body_share *same = body_share_join(STR("one"));
	size_t first = take_all(one);

	(void)state;
	assert_ptr_equal(one, same);
	assert_false(body_share_take(same, 10, ALL));
	body_share_leave(one, first);
	assert_true(body_share_take(same, 10, ALL));
	body_share_leave(same, 10);
	one = body_share_join(STR("one"));
	assert_in_range(take_all(one), first, first);
	body_share_leave(one, first);
}

static void a_piece_may_be_larger_than_the_pot(void **state)
{
	struct body_share *one = body_share_join(STR("one"));

	(void)state;
	assert_false(body_share_take(one, ALL + 1, ALL));
	assert_false(body_share_take(one, SIZE_MAX, ALL));
	assert_false(body_share_take(one, 1, 0));
	body_share_leave(one, 0);
}

static void the_pace_of_a_body(void **state)
{
	const uint64_t grace = 10 * 1000 * 1000;
	uint64_t due = grace;

	(void)state;
	/* A second's worth buys a second. */
	assert_int_equal(body_pace_next_us(due, 5000000, grace, LIMIT_BODY_BYTES_PER_S),
			 due + 1000000);
	/* A caller of half that pace is too late in the end, */
	for (uint64_t now = 1000000; now < 20 * 1000000; now += 1000000)
		due = body_pace_next_us(due, now, grace, LIMIT_BODY_BYTES_PER_S / 2);
	assert_in_range(due, 19500000, 20500000);
	/* one that drips single bytes as well, */
	due = grace;
	for (uint64_t now = 1000; now < 10 * 1000000; now += 1000)
		due = body_pace_next_us(due, now, grace, 1);
	assert_in_range(due, 10000000, 11000000);
	/* and what came fast pays for no longer rest. */
	assert_int_equal(body_pace_next_us(due, 1000000, grace, 4 * 1024 * 1024), 11000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_greedy_caller_leaves_room_for_others),
	    cmocka_unit_test(bodies_of_a_caller_share),
	    cmocka_unit_test(a_piece_may_be_larger_than_the_pot),
	    cmocka_unit_test(the_pace_of_a_body),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

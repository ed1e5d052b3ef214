#include "../cmocka_test.h"
#include "base/limits.h"
#include "http/body_pace.h"

TEST(the_pace_of_a_body)
{
	const uint64_t grace = 10 * 1000 * 1000;
	uint64_t due = grace;

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

RUN_TESTS(NULL, NULL)

/* Tests how many panels an instance lets go to others. */
#include "balance.h"
#include "script.h"

enum { STAY_MS = 300 * 1000 };

TEST(test_an_instance_alone_keeps_all)
{
	assert_int_equal(balance_rate(10000, 0, 0, STAY_MS), 0);
}

TEST(test_an_even_share_is_kept)
{
	assert_int_equal(balance_rate(1000, 1000, 1, STAY_MS), 0);
	assert_int_equal(balance_rate(1149, 851, 1, STAY_MS), 0);
	/* Few panels are spread by chance. */
	assert_int_equal(balance_rate(12, 0, 1, STAY_MS), 0);
	assert_int_equal(balance_rate(0, 0, 3, STAY_MS), 0);
}

TEST(test_it_can_be_switched_off)
{
	assert_int_equal(balance_rate(10000, 0, 1, 0), 0);
}

TEST(test_the_excess_goes_in_minutes)
{
	/* An instance that joined: 3,595, 3,535, 0, 870. */
	assert_int_equal(balance_rate(3595, 3535 + 870, 3, STAY_MS), (3595 - 2000) * 1000 / 120);
	assert_int_equal(balance_rate(3535, 3595 + 870, 3, STAY_MS), (3535 - 2000) * 1000 / 120);
	assert_int_equal(balance_rate(0, 8000, 3, STAY_MS), 0);
	assert_int_equal(balance_rate(870, 7130, 3, STAY_MS), 0);
}

RUN_TESTS(script_begin, script_end)

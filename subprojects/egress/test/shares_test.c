/* Tests the limits of an account: the time is the test's. */
#include "shares.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "../../../test/unit/cmocka_test.h"

static const struct key one = {{1}}, other = {{2}};
enum { SECOND = 1000 * 1000 };

static int set_up(void **state)
{
	*state = shares_create();
	return 0;
}

static int take_down(void **state)
{
	shares_destroy(*state);
	return 0;
}

static unsigned ask(struct shares *shares, const struct key *account, const char *host,
		    unsigned times, int64_t now_us)
{
	unsigned count = 0;

	while (times-- > 0)
		count += shares_take_name(shares, account, host, now_us) == SHARE_TAKEN;
	return count;
}

static unsigned reach(struct shares *shares, const char *text, unsigned times, int64_t now_us)
{
	struct network_list list = {0};
	unsigned count = 0;

	assert_true(network_list_add(&list, text));
	while (times-- > 0)
		count += shares_take_address(shares, &one, &list.networks[0].address, now_us) ==
			 SHARE_TAKEN;
	return count;
}

TEST_IN(test_a_page_at_once_and_then_two_a_second, set_up, take_down)
{
	int64_t now = 5 * SECOND;

	assert_int_equal(ask(*state, &one, "a.org", 100, now), 20);
	assert_int_equal(ask(*state, &one, "a.org", 100, now + SECOND / 2 - 1), 0);
	assert_int_equal(ask(*state, &one, "a.org", 100, now + SECOND / 2), 1);
	assert_int_equal(ask(*state, &one, "a.org", 100, now + 3 * SECOND), 5);
	assert_int_equal(ask(*state, &one, "a.org", 100, now + 100 * SECOND), 20);
	assert_int_equal(ask(*state, &one, "b.org", 100, now), 20);
	assert_int_equal(ask(*state, &other, "a.org", 100, now), 20);
}

TEST_IN(test_forms_of_a_name_are_one_host, set_up, take_down)
{
	assert_int_equal(ask(*state, &one, "a.org", 19, 0), 19);
	assert_int_equal(ask(*state, &one, "A.ORG.", 19, 0), 1);
	assert_int_equal(ask(*state, &one, "a.oRg", 1, 0), 0);
}

TEST_IN(test_names_of_one_address_are_one_host, set_up, take_down)
{
	assert_int_equal(reach(*state, "192.0.2.1", 100, 0), 20);
	assert_int_equal(reach(*state, "192.0.2.2", 100, 0), 20);
	/* A network of IPv6 is one host, since a host may have all of its addresses. */
	assert_int_equal(reach(*state, "2001:db8::1", 19, 0), 19);
	assert_int_equal(reach(*state, "2001:db8::ffff:2", 19, 0), 1);
	assert_int_equal(reach(*state, "2001:db8:0:1::1", 100, 0), 20);
}

TEST_IN(test_bytes, set_up, take_down)
{
	enum { BURST = SHARE_BYTES_BURST };

	assert_true(shares_take_bytes(*state, &one, BURST - 1, 0));
	assert_int_equal(ask(*state, &one, "a.org", 1, 0), 1);
	assert_true(shares_take_bytes(*state, &one, 1, 0));
	assert_int_equal(shares_take_name(*state, &one, "a.org", 0), SHARE_BYTES_USED_UP);
	assert_int_equal(ask(*state, &other, "a.org", 1, 0), 1);
	/* A request that has begun may overdraw by as much as one answer may have. */
	assert_true(shares_take_bytes(*state, &one, SHARE_DEBT_BYTES, 0));
	assert_false(shares_take_bytes(*state, &one, 1, 0));
	/* A megabyte a second grows. */
	assert_int_equal(ask(*state, &one, "a.org", 1, 2 * SECOND), 0);
	assert_int_equal(ask(*state, &one, "a.org", 1, 3 * SECOND), 1);
	assert_true(shares_take_bytes(*state, &one, BURST, 7 * SECOND));
}

TEST_IN(test_downloads, set_up, take_down)
{
	enum {
		LARGEST = 128 << 20,
		PART = 1 << 20,
		HALF_AN_HOUR_S = LARGEST / SHARE_DOWNLOAD_BYTES_PER_S
	};

	for (int i = 0; i < 2 * LARGEST / PART; i++)
		assert_true(shares_take_download(*state, &one, PART, 0));
	assert_false(shares_take_download(*state, &one, PART, 0));
	assert_true(shares_take_download(*state, &other, PART, 0));
	assert_false(shares_take_download(*state, &one, LARGEST, (HALF_AN_HOUR_S - 1) * SECOND));
	assert_true(shares_take_download(*state, &one, LARGEST, 3LL * HALF_AN_HOUR_S * SECOND));
}

TEST_IN(test_hosts_are_remembered_while_that_matters, set_up, take_down)
{
	char host[32];
	unsigned taken = 0;

	for (unsigned i = 0; i < SHARE_HOSTS_MAX; i++) {
		snprintf(host, sizeof(host), "%u.org", i);
		taken += shares_take_name(*state, &one, host, 0) == SHARE_TAKEN;
	}
	/* An account leaves as many free as it has. */
	assert_int_equal(taken, SHARE_HOSTS_MAX / 2);
	assert_int_equal(shares_take_name(*state, &one, "x.org", 0), SHARE_TOO_MANY_HOSTS);
	assert_int_equal(ask(*state, &other, "x.org", 1, 0), 1);
	assert_int_equal(ask(*state, &one, "x.org", 1, 10 * SECOND), 1);
	assert_int_equal(shares_count(*state), 1);
}

int main(void)
{
	return sodium_init() < 0 ? 1 : run_all_tests(NULL, NULL);
}

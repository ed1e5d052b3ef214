/* Tests how many connections an address may hold. */
#include "../cmocka_test.h"
#include "http/address_share.h"

enum { ALL = 1000, ADDRESSES = 5 };

static struct address_share *held[ADDRESSES][ALL];
static unsigned counts[ADDRESSES], total;

static bool take(unsigned who)
{
	struct address address;
	char text[ADDRESS_TEXT_BYTES];

	/* Each has a separate IPv6 network, and uses many addresses of it. */
	snprintf(text, sizeof(text), "2001:db8:0:%x::%x", who, total);
	assert_true(address_read(str_from(text), &address));
	if (total == ALL)
		return false;
	held[who][counts[who]] = address_share_join(&address, ALL - total);
	if (!held[who][counts[who]])
		return false;
	counts[who]++;
	total++;
	return true;
}

static void leave(unsigned who, unsigned count)
{
	for (; count > 0; count--, total--)
		address_share_leave(held[who][--counts[who]]);
}

static int leave_all(void **state)
{
	(void)state;
	for (unsigned who = 0; who < ADDRESSES; who++)
		leave(who, counts[who]);
	return 0;
}

TEST_IN(one_alone_holds_three_quarters, NULL, leave_all)
{
	while (take(0))
		;
	assert_in_range(counts[0], ALL * 3 / 4, ALL * 3 / 4 + 3);
	assert_true(take(1));
	leave(0, 4);
	assert_true(take(0));
}

TEST_IN(there_is_always_room_for_another, NULL, leave_all)
{
	bool takes = true;

	while (takes) {
		takes = false;
		for (unsigned who = 0; who < ADDRESSES - 1; who++)
			takes |= take(who);
	}
	for (unsigned who = 0; who < ADDRESSES - 1; who++)
		assert_in_range(counts[who], ALL * 3 / 13 - 3, ALL * 3 / 13 + 3);
	for (int i = 0; i < 40; i++)
		assert_true(take(ADDRESSES - 1));
}

TEST(the_last_one_is_anybodys)
{
	struct address address;
	struct address_share *shares[3];

	assert_true(address_read(STR("192.0.2.1"), &address));
	for (unsigned i = 0; i < 3; i++) {
		shares[i] = address_share_join(&address, 3 - i);
		assert_non_null(shares[i]);
	}
	assert_null(address_share_join(&address, 1));
	assert_true(address_read(STR("192.0.2.2"), &address));
	assert_null(address_share_join(&address, 0));
	for (unsigned i = 0; i < 3; i++)
		address_share_leave(shares[i]);
	address_share_leave(NULL);
}

RUN_TESTS(NULL, NULL)

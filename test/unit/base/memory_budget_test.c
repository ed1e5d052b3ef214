#include "../cmocka_test.h"
#include "base/memory_budget.h"

enum { ALL = 1000 };

static struct memory_budget budget;

/* Takes as much as possible, 10 bytes at a time. Returns the amount. */
static size_t take_all(struct memory_share *share)
{
	size_t bytes = 0;

	while (memory_budget_take(share, 10, ALL))
		bytes += 10;
	return bytes;
}

TEST(a_greedy_owner_leaves_room_for_others)
{
	struct memory_share *one = memory_budget_join(&budget, STR("one"));
	struct memory_share *two = memory_budget_join(&budget, STR("two"));
	struct memory_share *three = memory_budget_join(&budget, STR("three"));
	size_t first, second, third;

	first = take_all(one);
	assert_in_range(first, 490, 510);
	second = take_all(two);
	assert_in_range(second, 240, 260);
	third = take_all(three);
	assert_in_range(third, 110, 130);
	assert_false(memory_budget_take(one, 1, ALL));
	memory_budget_leave(one, first);
	assert_true(memory_budget_take(three, 100, ALL));
	memory_budget_leave(two, second);
	memory_budget_leave(three, third + 100);
}

/* The first owner gives back memory as it is used up, and gets no more than the others. */
TEST(greedy_owners_come_to_hold_equal_shares)
{
	enum { OWNERS = 4, ROUNDS = 50 };
	struct memory_share *shares[OWNERS], *late;
	size_t held[OWNERS];
	char name[] = "a";

	for (unsigned i = 0; i < OWNERS; i++, name[0]++) {
		shares[i] = memory_budget_join(&budget, str_from(name));
		held[i] = take_all(shares[i]);
	}
	for (unsigned round = 0; round < ROUNDS * OWNERS; round++) {
		unsigned i = round % OWNERS;
		struct str owner = {(char[]){(char)('a' + i)}, 1};

		memory_budget_leave(shares[i], held[i]);
		shares[i] = memory_budget_join(&budget, owner);
		held[i] = take_all(shares[i]);
	}
	for (unsigned i = 0; i < OWNERS; i++)
		assert_in_range(held[i], ALL / (OWNERS + 1) - 10, ALL / (OWNERS + 1) + 10);
	late = memory_budget_join(&budget, STR("late"));
	assert_true(memory_budget_take(late, ALL / (OWNERS + 1) / 2 - 10, ALL));
	memory_budget_leave(late, ALL / (OWNERS + 1) / 2 - 10);
	for (unsigned i = 0; i < OWNERS; i++)
		memory_budget_leave(shares[i], held[i]);
}

TEST(things_of_an_owner_share)
{
	struct memory_share *one = memory_budget_join(&budget, STR("one"));
	struct memory_share *same = memory_budget_join(&budget, STR("one"));
	size_t first = take_all(one);

	assert_ptr_equal(one, same);
	assert_false(memory_budget_take(same, 10, ALL));
	memory_budget_leave(one, first);
	assert_true(memory_budget_take(same, 10, ALL));
	memory_budget_leave(same, 10);
	one = memory_budget_join(&budget, STR("one"));
	assert_in_range(take_all(one), first, first);
	memory_budget_leave(one, first);
}

TEST(a_piece_may_be_larger_than_the_pot)
{
	struct memory_share *one = memory_budget_join(&budget, STR("one"));

	assert_false(memory_budget_take(one, ALL + 1, ALL));
	assert_false(memory_budget_take(one, SIZE_MAX, ALL));
	assert_false(memory_budget_take(one, 1, 0));
	assert_true(memory_budget_take(one, 10, ALL));
	assert_false(memory_budget_take(one, SIZE_MAX - 5, ALL)); /* the sum would be small */
	memory_budget_leave(one, 10);
}

RUN_TESTS(NULL, NULL)

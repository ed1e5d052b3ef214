/* Budgets, with the allocator that counts. */
#include "sandboxed/budget.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
/* after the headers that it needs */
#include "../../../test/unit/cmocka_test.h"

enum { MAX = 100 * 1000, SMALL = 100, NOTE = 32 };

static int set_up(void **state)
{
	*state = budget_create(MAX, MAX);
	return *state ? 0 : -1;
}

static int take_down(void **state)
{
	budget_release(*state);
	return 0;
}

static void *take(struct budget *budget, size_t size)
{
	struct budget *before = budget_enter(budget);
	void *block = malloc(size);

	(void)budget_enter(before);
	return block;
}

TEST_IN(blocks_count_until_they_are_freed, set_up, take_down)
{
	struct budget *budget = *state;
	void *block = take(budget, SMALL);

	assert_non_null(block);
	assert_int_equal(budget_bytes(budget), SMALL + NOTE);
	free(block);
	assert_int_equal(budget_bytes(budget), 0);
	free(malloc(SMALL)); /* nobody's */
	assert_int_equal(budget_bytes(budget), 0);
}

TEST_IN(all_ways_to_allocate_fail_beyond, set_up, take_down)
{
	struct budget *budget = *state, *before;
	void *first = take(budget, MAX - NOTE), *none = NULL;

	assert_non_null(first);
	assert_false(budget_take_failure(budget));
	before = budget_enter(budget);
	assert_null(malloc(1));
	assert_null(calloc(1, 1));
	assert_null(realloc(NULL, 1));
	assert_null(realloc(first, MAX));
	assert_null(memalign(64, 1));
	assert_null(aligned_alloc(64, 64));
	assert_int_not_equal(posix_memalign(&none, 64, 1), 0);
	assert_null(strdup("text"));
	(void)budget_enter(before);
	assert_true(budget_take_failure(budget));
	assert_false(budget_take_failure(budget));
	assert_int_equal(budget_bytes(budget), MAX);
	memset(first, 1, MAX - NOTE); /* it is still there */
	budget_set_spare(MAX);
	budget_set_max(budget, 2 * MAX);
	none = take(budget, SMALL);
	assert_non_null(none);
	free(none);
	free(first);
	budget_set_spare(0);
}

TEST_IN(blocks_keep_their_budget, set_up, take_down)
{
	struct budget *budget = *state, *other = budget_create(MAX, 2 * MAX), *before;
	char *block = take(budget, SMALL);

	before = budget_enter(other);
	block = realloc(block, 2 * SMALL);
	assert_int_equal(budget_bytes(other), 0);
	assert_int_equal(budget_bytes(budget), 2 * SMALL + NOTE);
	block = realloc(block, SMALL);
	assert_int_equal(budget_bytes(budget), SMALL + NOTE);
	(void)budget_enter(before);
	free(block);
	block = malloc(SMALL);
	before = budget_enter(other);
	block = realloc(block, 2 * SMALL); /* nobody's before */
	(void)budget_enter(before);
	assert_int_equal(budget_bytes(other), 2 * SMALL + NOTE);
	budget_release(other); /* the block has it still */
	memset(block, 1, 2 * SMALL);
	free(block);
}

TEST_IN(aligned_blocks_can_grow, set_up, take_down)
{
	struct budget *budget = *state, *before = budget_enter(budget);
	char *block = memalign(4096, SMALL);

	assert_int_equal((uintptr_t)block % 4096, 0);
	assert_true(malloc_usable_size(block) >= SMALL);
	memset(block, 7, SMALL);
	block = realloc(block, 8192);
	assert_int_equal(block[SMALL - 1], 7);
	assert_true(budget_bytes(budget) >= 8192);
	free(block);
	(void)budget_enter(before);
	assert_int_equal(budget_bytes(budget), 0);
}

TEST_IN(the_spare_is_shared, set_up, take_down)
{
	struct budget *budget = *state, *other = budget_create(MAX, 2 * MAX);
	void *own, *spare, *others;

	budget_set_max(budget, 2 * MAX);
	budget_set_spare(MAX / 2);
	own = take(budget, MAX - NOTE);
	assert_null(take(budget, MAX - NOTE));
	spare = take(budget, MAX / 2 - NOTE);
	assert_non_null(spare);
	others = take(other, MAX - NOTE);
	assert_non_null(others); /* what is its own is there always */
	assert_null(take(other, 1));
	assert_true(budget_take_failure(other));
	free(own); /* what is left is less than the budget's own */
	own = take(other, MAX / 2 - NOTE);
	assert_non_null(own);
	free(own);
	free(others);
	free(spare);
	budget_release(other);
	budget_set_spare(0);
}

TEST(impossible_sizes_fail)
{
	volatile size_t huge = SIZE_MAX - 16;

	assert_null(malloc(huge));
	assert_null(calloc(huge, 2));
	assert_null(realloc(NULL, huge));
}

static void *use(void *context)
{
	struct budget *before = budget_enter(context);

	for (int i = 0; i < 10000; i++) {
		void *block = malloc(SMALL);

		free(realloc(block, 2 * SMALL));
	}
	return budget_enter(before);
}

TEST(threads_share_a_budget)
{
	struct budget *budget = budget_create(SMALL, 2 * MAX);
	pthread_t threads[4];
	void *entered;

	budget_set_spare(MAX);

	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, use, budget), 0);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(threads[i], &entered), 0);
		assert_ptr_equal(entered, budget);
	}
	assert_int_equal(budget_bytes(budget), 0);
	assert_false(budget_take_failure(budget));
	entered = take(budget, MAX + SMALL - NOTE); /* all spare bytes are back */
	assert_non_null(entered);
	assert_null(take(budget, 1));
	free(entered);
	budget_release(budget);
	budget_set_spare(0);
}

RUN_TESTS(NULL, NULL)

/* Token buckets compared with plain arithmetic, on the test's own clock; and several processes on
 * one table. */
#include "../cmocka_test.h"
#include "base/memory.h"
#include "task/rate.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECOND_US = 1000 * 1000, START_US = 5 * SECOND_US };

static struct region_map *map;
static struct rate_table *table;

static int open_table(void **state)
{
	const struct region *const regions[] = {&rate_region};

	(void)state;
	map = region_map_create(regions, 1, 1);
	table = map ? region_common(map, &rate_region) : NULL;
	return table ? 0 : -1;
}

static int close_table(void **state)
{
	(void)state;
	region_map_destroy(map);
	return 0;
}

static struct id id_of(uint32_t number)
{
	struct id id = {0};

	memcpy(id.bytes, &number, sizeof(number));
	return id;
}

static const struct rate_policy ten = {.name = "ten", .per_second = 10, .burst = 40};

TEST_IN(policies_are_told_apart_by_the_whole_name, open_table, close_table)
{
	static const struct rate_policy policies[] = {
	    {.name = "attempts", .per_second = 1, .burst = 1},
	    {.name = "attempts-of-account", .per_second = 1, .burst = 1},
	    {.name = "attempts-of-accounts", .per_second = 1, .burst = 1},
	    {.name = "attempts-of-browser", .per_second = 1, .burst = 1},
	};

	for (size_t i = 0; i < sizeof(policies) / sizeof(*policies); i++)
		assert_true(rate_take(table, &policies[i], id_of(1), START_US).is_allowed);
	for (size_t i = 0; i < sizeof(policies) / sizeof(*policies); i++)
		assert_false(rate_take(table, &policies[i], id_of(1), START_US).is_allowed);
}

TEST_IN(full_bucket_is_emptied, open_table, close_table)
{
	struct rate_result result;

	for (unsigned taken = 1; taken <= 40; taken++) {
		result = rate_take(table, &ten, id_of(1), START_US);
		assert_true(result.is_allowed);
		assert_int_equal(result.remaining, 40 - taken);
		assert_int_equal(result.reset_s, (taken + 9) / 10);
	}
	for (int i = 0; i < 5; i++) {
		result = rate_take(table, &ten, id_of(1), START_US);
		assert_false(result.is_allowed);
		assert_int_equal(result.remaining, 0);
		assert_int_equal(result.reset_s, 4);
		assert_int_equal(result.retry_after_s, 1);
	}
}

TEST_IN(looking_takes_nothing, open_table, close_table)
{
	struct rate_result looked, taken;

	assert_int_equal(rate_look(table, &ten, id_of(1), START_US).remaining, 40);
	for (unsigned i = 0; i < 45; i++) {
		looked = rate_look(table, &ten, id_of(1), START_US + i);
		taken = rate_take(table, &ten, id_of(1), START_US + i);
		assert_int_equal(looked.is_allowed, taken.is_allowed);
		assert_int_equal(looked.remaining, taken.remaining + taken.is_allowed);
		assert_int_equal(looked.retry_after_s, taken.retry_after_s);
	}
	assert_false(taken.is_allowed);
	/* A look does not create a bucket. */
	assert_int_equal(rate_look(table, &ten, id_of(2), START_US).remaining, 40);
	assert_true(rate_look(table, &ten, id_of(1), 1000 * SECOND_US).is_allowed);
	assert_int_equal(rate_look(table, &ten, id_of(1), 1000 * SECOND_US).remaining, 40);
}

/* The table is never unused while a bucket lacks a token, and is unused at most a second after
 * the last one is full. */
TEST_IN(table_is_unused_once_all_are_full, open_table, close_table)
{
	assert_true(rate_is_unused(table, 0));
	assert_true(rate_take(table, &ten, id_of(1), START_US).is_allowed);
	for (unsigned i = 0; i < 20; i++)
		assert_true(rate_take(table, &ten, id_of(2), START_US).is_allowed);
	assert_false(rate_is_unused(table, START_US));
	assert_false(rate_is_unused(table, START_US + 2 * SECOND_US - 1));
	assert_true(rate_is_unused(table, START_US + 3 * SECOND_US));
	/* A bucket that fills sooner changes nothing, and a look does not either. */
	assert_true(rate_take(table, &ten, id_of(3), START_US + SECOND_US).is_allowed);
	assert_true(rate_look(table, &ten, id_of(4), START_US + 9 * SECOND_US).is_allowed);
	assert_false(rate_is_unused(table, START_US + 2 * SECOND_US - 1));
	assert_true(rate_is_unused(table, START_US + 3 * SECOND_US));
	for (unsigned i = 0; i < 41; i++)
		(void)rate_take(table, &ten, id_of(2), START_US + 3 * SECOND_US);
	assert_false(rate_is_unused(table, START_US + 7 * SECOND_US - 1));
	assert_true(rate_is_unused(table, START_US + 8 * SECOND_US));
}

TEST_IN(token_comes_back_at_its_time, open_table, close_table)
{
	for (unsigned i = 0; i < 40; i++)
		assert_true(rate_take(table, &ten, id_of(1), START_US).is_allowed);
	assert_false(rate_take(table, &ten, id_of(1), START_US + 99999).is_allowed);
	assert_true(rate_take(table, &ten, id_of(1), START_US + 100000).is_allowed);
	assert_false(rate_take(table, &ten, id_of(1), START_US + 100000).is_allowed);
	/* After a long time it is full, but not above. */
	for (unsigned i = 0; i < 40; i++)
		assert_true(rate_take(table, &ten, id_of(1), 1000 * SECOND_US).is_allowed);
	assert_false(rate_take(table, &ten, id_of(1), 1000 * SECOND_US).is_allowed);
}

TEST_IN(waiting_as_told_is_enough, open_table, close_table)
{
	static const struct rate_policy policies[] = {
	    {.name = "a", .per_second = 1, .burst = 1},
	    {.name = "b", .per_second = 1, .burst = 2},
	    {.name = "c", .per_second = 3, .burst = 7},
	    {.name = "d", .per_second = 500, .burst = 1000},
	    {.name = "e", .per_second = 1000000, .burst = 2000000},
	};

	for (size_t i = 0; i < array_length(policies); i++) {
		const struct rate_policy *policy = &policies[i];
		uint64_t now_us = START_US;
		struct rate_result result;
		unsigned allowed = 0;

		while ((result = rate_take(table, policy, id_of(1), now_us)).is_allowed)
			allowed++;
		assert_int_equal(allowed, policy->burst);
		assert_true(result.retry_after_s >= 1);
		now_us += (uint64_t)result.retry_after_s * SECOND_US;
		assert_true(rate_take(table, policy, id_of(1), now_us).is_allowed);
		/* It is full after the reported time. */
		result = rate_take(table, policy, id_of(1), now_us);
		now_us += (uint64_t)result.reset_s * SECOND_US;
		for (allowed = 0; rate_take(table, policy, id_of(1), now_us).is_allowed;)
			allowed++;
		assert_int_equal(allowed, policy->burst);
	}
}

/* Over a long time, at most the burst and the tokens grown since are granted. */
TEST_IN(random_walk_stays_within_the_limit, open_table, close_table)
{
	uint64_t now_us = START_US;
	uint64_t allowed = 0;

	srandom(1);
	for (int i = 0; i < 100000; i++) {
		now_us += (uint64_t)random() % 50000;
		allowed += rate_take(table, &ten, id_of(1), now_us).is_allowed;
		assert_true(allowed <= 40 + (now_us - START_US) / 100000);
	}
	/* The client requested four times as often as permitted. */
	assert_true(allowed >= (now_us - START_US) / 100000);
}

TEST_IN(buckets_are_told_apart, open_table, close_table)
{
	static const struct rate_policy other = {.name = "other", .per_second = 10, .burst = 40};

	for (unsigned i = 0; i < 40; i++)
		assert_true(rate_take(table, &ten, id_of(1), START_US).is_allowed);
	assert_false(rate_take(table, &ten, id_of(1), START_US).is_allowed);
	assert_int_equal(rate_take(table, &ten, id_of(2), START_US).remaining, 39);
	assert_int_equal(rate_take(table, &other, id_of(1), START_US).remaining, 39);
}

/* With more IDs than buckets, the fullest bucket is dropped, and the empty one is kept, since it
 * has the latest time. */
TEST_IN(full_table_forgets_the_fullest, open_table, close_table)
{
	for (unsigned i = 0; i < 40; i++)
		assert_true(rate_take(table, &ten, id_of(0), START_US).is_allowed);
	for (uint32_t i = 1; i < 300000; i++)
		assert_true(rate_take(table, &ten, id_of(i), START_US).is_allowed);
	assert_false(rate_take(table, &ten, id_of(0), START_US).is_allowed);
}

/* Several processes take from one bucket at once: no token is given twice or lost. */
TEST_IN(processes_share_a_bucket, open_table, close_table)
{
	enum { PROCESSES = 4, TRIES = 20000, BURST = 30000 };
	static const struct rate_policy policy = {.name = "p", .per_second = 1, .burst = BURST};
	unsigned *counts = mmap(NULL, sizeof(*counts) * PROCESSES, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned allowed = 0;

	assert_true(counts != MAP_FAILED);
	for (int process = 0; process < PROCESSES; process++) {
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (pid == 0) {
			for (int i = 0; i < TRIES; i++)
				counts[process] +=
				    rate_take(table, &policy, id_of(1), START_US).is_allowed;
			_exit(0);
		}
	}
	for (int process = 0; process < PROCESSES; process++) {
		int status;

		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	for (int process = 0; process < PROCESSES; process++)
		allowed += counts[process];
	assert_int_equal(allowed, BURST);
	munmap(counts, sizeof(*counts) * PROCESSES);
}

/* The clock is slightly behind that of another process. */
TEST_IN(time_may_go_back_a_little, open_table, close_table)
{
	assert_true(rate_take(table, &ten, id_of(1), START_US).is_allowed);
	assert_int_equal(rate_take(table, &ten, id_of(1), START_US - 50000).remaining, 37);
	assert_true(rate_take(table, &ten, id_of(1), START_US).is_allowed);
}

TEST_IN(several_are_taken_at_once, open_table, close_table)
{
	assert_int_equal(rate_take_some(table, &ten, id_of(1), 16, START_US), 16);
	assert_int_equal(rate_take_some(table, &ten, id_of(1), 16, START_US), 16);
	/* Takes the rest, and then the tokens that have grown since. */
	assert_int_equal(rate_take_some(table, &ten, id_of(1), 16, START_US), 8);
	assert_int_equal(rate_take_some(table, &ten, id_of(1), 16, START_US), 0);
	assert_int_equal(rate_take_some(table, &ten, id_of(1), 16, START_US + SECOND_US / 2), 5);
	assert_false(rate_take(table, &ten, id_of(1), START_US + SECOND_US / 2).is_allowed);
	assert_true(rate_take(table, &ten, id_of(2), START_US).is_allowed);
}

TEST_IN(what_is_given_back_can_be_taken_again, open_table, close_table)
{
	rate_give_back(table, &ten, id_of(1), START_US); /* none was taken */
	assert_int_equal(rate_take_some(table, &ten, id_of(1), 100, START_US), 40);
	rate_give_back(table, &ten, id_of(1), START_US);
	rate_give_back(table, &ten, id_of(1), START_US);
	assert_int_equal(rate_take_some(table, &ten, id_of(1), 100, START_US), 2);
	/* A full bucket takes none back. */
	rate_give_back(table, &ten, id_of(1), START_US + 60 * SECOND_US);
	assert_int_equal(
	    rate_take_some(table, &ten, id_of(1), 100, START_US + 60 * (uint64_t)SECOND_US), 40);
}

RUN_TESTS(NULL, NULL)

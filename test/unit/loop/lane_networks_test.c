/* Networks of accounts, and which jobs make room if too many wait; the test sets the costs. */
#include "base/memory.h"
#include "lane_queue_bed.h"

#include <errno.h>

/* Thirty accounts of one network have a job each; the account of another network comes later. */
QUEUE_TEST(networks_take_turns)
{
	unsigned before = 0;

	for (uint8_t account = 1; account <= 30; account++)
		assert_int_equal(add_from(1, account, 1), 0);
	for (unsigned i = 0; i < 5; i++)
		run_next(2500, false);
	assert_int_equal(add_from(2, 100, 1), 0);
	while (run_next(2500, false) != 100)
		before++;
	assert_in_range(before, 0, 2);
	run_all();
}

/* Two accounts of a network take turns: one with thirty jobs, and one with a single job. */
QUEUE_TEST(accounts_of_a_network_take_turns)
{
	unsigned before = 0;

	for (unsigned i = 0; i < 30; i++)
		assert_int_equal(add_from(1, 1, 1), 0);
	assert_int_equal(add_from(1, 2, 1), 0);
	while (run_next(2500, false) != 2)
		before++;
	assert_in_range(before, 0, 2);
	run_all();
}

QUEUE_TEST(a_network_fills_half_of_the_queue)
{
	for (unsigned account = 0; account < LIMIT / 2; account++)
		assert_int_equal(add_from(1, (uint8_t)(1 + account), 1), 0);
	assert_int_equal(add_from(1, 200, 1), -EDQUOT);
	for (unsigned account = 0; account < LIMIT / 4; account++)
		assert_int_equal(add_from(2, (uint8_t)(1 + account), 1), 0);
	assert_int_equal(add_from(2, 200, 1), -EDQUOT);
	run_all();
}

/* Accounts and networks may have the same ID, and an account in another network is another
 * account. */
QUEUE_TEST(ids_of_networks_and_accounts_are_apart)
{
	assert_int_equal(add_from(1, 1, 1), 0);
	assert_int_equal(add_from(2, 1, 1), 0);
	assert_int_equal(add(1, 1), 0);
	assert_int_equal(add(0, 1), 0);
	assert_int_equal(queue.active, 3);
	run_all();
	assert_int_equal(queue.active, 0);
	assert_int_equal(queue.share_count, 0);
}

/* Each client comes once, from its own address, and owes time. The debts would be stored for
 * ever, since no client returns. */
QUEUE_TEST(debts_of_strangers_are_not_kept_for_ever)
{
	assert_int_equal(add_from(9, 9, 1), 0);
	assert_non_null(lane_queue_take(&queue));
	for (unsigned i = 0; i < 20000; i++) {
		struct lane_job *job = &jobs[1];
		uint64_t wait_us;

		*job =
		    (struct lane_job){.account = {{1, (uint8_t)i, (uint8_t)(i >> 8)}}, .size = 1};
		queue.threads = 2;
		assert_int_equal(lane_queue_add(&queue, job, &wait_us), 0);
		assert_ptr_equal(lane_queue_take(&queue), job);
		give_back(job, 2500, false);
	}
	assert_in_range(queue.share_count, 1, 2048);
	give_back(&jobs[0], 100, false);
	assert_int_equal(queue.share_count, 0);
}

QUEUE_TEST(what_is_taken_out_holds_no_place)
{
	for (unsigned i = 0; i < LIMIT / 2; i++)
		assert_int_equal(add_from(1, 1, 1), 0);
	for (unsigned i = 0; i < LIMIT / 2; i += 2)
		lane_queue_remove(&queue, &jobs[i]);
	assert_int_equal(queue.waiting, LIMIT / 4);
	assert_int_equal(add_from(1, 1, 1), 0);
	for (unsigned i = 1; i < LIMIT / 2; i += 2) {
		assert_ptr_equal(lane_queue_take(&queue), &jobs[i]);
		give_back(&jobs[i], 100, false);
	}
	run_all();
	assert_int_equal(queue.share_count, 0);
}

/* Each job is known to take 10 ms: fifty of them are half a second. */
QUEUE_TEST(the_newest_goes_first_where_many_wait)
{
	queue.is_newest_first = true;
	queue.limit = 4 * JOBS;
	for (unsigned i = 0; i < 100; i++) {
		job_count = 0;
		assert_int_equal(add(1, 10), 0);
		run_next(10000, false);
	}
	job_count = 0;
	for (unsigned i = 0; i < 60; i++)
		assert_int_equal(add(1, 10), 0);
	for (unsigned i = 59; i > 51; i--) {
		assert_ptr_equal(lane_queue_take(&queue), &jobs[i]);
		give_back(&jobs[i], 10000, false);
	}
	/* The rest would not wait for long, so it runs in order of arrival. */
	while (queue.waiting > 50)
		run_next(10000, false);
	assert_ptr_equal(lane_queue_take(&queue), &jobs[0]);
	give_back(&jobs[0], 10000, false);
	run_all();
}

QUEUE_TEST(the_oldest_of_the_largest_makes_room)
{
	struct lane_job mine = {.account = {{7}}, .network = {{2}}, .size = 1};
	struct lane_job like_others = {.account = {{8}}, .network = {{1}}, .size = 1};

	assert_null(lane_queue_oldest(&queue, &mine, -EAGAIN));
	assert_int_equal(add_from(1, 1, 1), 0);
	assert_int_equal(add_from(1, 2, 1), 0);
	assert_int_equal(add_from(1, 2, 1), 0);
	assert_int_equal(add_from(2, 7, 1), 0);
	assert_ptr_equal(lane_queue_oldest(&queue, &mine, -EAGAIN), &jobs[1]);
	assert_ptr_equal(lane_queue_oldest(&queue, &mine, -EDQUOT), &jobs[3]);
	assert_ptr_equal(lane_queue_oldest(&queue, &like_others, -EDQUOT), &jobs[1]);
	run_all();
}

RUN_TESTS(NULL, NULL)

/* Credit and debts of accounts whose jobs take unequal turns, and the waits that a lane queue
 * expects; the test sets the costs. */
#include "base/limits.h"
#include "lane_queue_bed.h"

#include <errno.h>

/* Adds a job, which must find room. */
static struct lane_job *put(uint8_t network, uint8_t account, size_t size)
{
	assert_int_equal(add_from(network, account, size), 0);
	return &jobs[job_count - 1];
}

/* A job of the first account has a thread for fifty rounds. Nobody saves up credit meanwhile: then
 * both accounts alternate. */
QUEUE_TEST(rounds_without_a_turn_give_no_credit)
{
	struct lane_job *slow;

	lane_queue_init(&queue, 2, LIMIT, NS_PER_BYTE);
	slow = put(0, 1, 1);
	put(0, 1, 1);
	assert_ptr_equal(lane_queue_take(&queue), slow);
	put(0, 2, 1);
	for (unsigned i = 0; i < 50; i++)
		assert_int_equal(run_next(LANE_TURN_US, true), 2);
	give_back(slow, LANE_TURN_US, true);
	for (unsigned i = 0, in_a_row = 0; i < 20; i++) {
		in_a_row = run_next(LANE_TURN_US, true) == 1 ? in_a_row + 1 : 0;
		assert_in_range(in_a_row, 0, 2);
	}
	run_all();
}

/* Jobs of a tenth of a turn do not use a turn up in one piece. */
QUEUE_TEST(accounts_alternate_within_a_turn)
{
	uint8_t last = 0;

	put(0, 1, 1);
	put(0, 2, 1);
	for (unsigned i = 0; i < 10; i++) {
		uint8_t account = run_next(LANE_TURN_US / 10, true);

		assert_int_not_equal(account, last);
		last = account;
	}
	run_all();
}

/* Turns of a network's accounts count by their cost, as those of networks do. */
QUEUE_TEST(accounts_of_a_network_share_its_time)
{
	uint64_t used_us[3] = {0};

	put(1, 1, 1);
	put(1, 2, 1);
	for (unsigned i = 0; i < 2100; i++) {
		struct lane_job *job = lane_queue_take(&queue);
		uint8_t account = job->account.bytes[0];
		uint64_t cpu_us = account == 1 ? 20000 : 1000;

		used_us[account] += cpu_us;
		give_back(job, cpu_us, true);
	}
	assert_in_range(used_us[1] * 100 / used_us[2], 90, 110);
	run_all();
}

QUEUE_TEST(no_more_jobs_run_than_there_are_threads)
{
	struct lane_job *first, *second;

	lane_queue_init(&queue, 2, LIMIT, NS_PER_BYTE);
	for (uint8_t account = 1; account <= 3; account++)
		put(0, account, 1);
	first = lane_queue_take(&queue);
	second = lane_queue_take(&queue);
	assert_non_null(second);
	assert_null(lane_queue_take(&queue));
	give_back(first, 100, false);
	give_back(second, 100, false);
	run_all();
}

static uint8_t barred; /* account that may have no thread */

static bool is_not_barred(const struct lane_queue *of, struct id account)
{
	assert_ptr_equal(of, &queue);
	return account.bytes[0] != barred;
}

/* An account that may have no thread holds nobody up, and keeps its jobs. */
QUEUE_TEST(an_account_may_be_barred_from_threads)
{
	queue.may_run = is_not_barred;
	barred = 1;
	put(0, 1, 1);
	put(0, 2, 1);
	put(0, 2, 1);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(run_next(LANE_TURN_US, false), 2);
	assert_null(lane_queue_take(&queue));
	assert_int_equal(queue.waiting, 1);
	barred = 0;
	assert_int_equal(run_next(100, false), 1);
}

/* Returns how long another job of the account would wait. */
static uint64_t expected_us(uint8_t account)
{
	struct lane_job *job = &jobs[job_count];
	uint64_t wait_us;

	*job = (struct lane_job){.account = {{account}}, .size = 1};
	if (lane_queue_add(&queue, job, &wait_us) == 0)
		lane_queue_remove(&queue, job);
	return wait_us;
}

/* A job of 100 ms beside those of three others: an account waits for its own time, and for as much
 * of each other, but never for more than that one has. */
QUEUE_TEST(the_wait_counts_others_up_to_the_own_time)
{
	put(0, 1, 100 * 1000);
	assert_int_equal(expected_us(1), 100 * 1000);
	put(0, 2, 400 * 1000);
	assert_int_equal(expected_us(1), 2 * 100 * 1000);
	put(0, 3, 50 * 1000);
	assert_int_equal(expected_us(1), (2 * 100 + 50) * 1000);
	put(0, 4, 100 * 1000);
	assert_int_equal(expected_us(1), (3 * 100 + 50) * 1000);
	assert_int_equal(expected_us(9), 0); /* it has its turn in this round */
	run_all();
}

/* An account gets two of three threads at most: alone, it waits for these. */
QUEUE_TEST(the_wait_counts_the_threads_of_an_account)
{
	lane_queue_init(&queue, 3, LIMIT, NS_PER_BYTE);
	for (unsigned i = 0; i < 6; i++)
		put(0, 1, 100 * 1000);
	assert_int_equal(expected_us(1), 6 * 100 * 1000 / 2);
	for (uint8_t account = 2; account < 6; account++)
		for (unsigned i = 0; i < 6; i++)
			put(0, account, 100 * 1000);
	assert_int_equal(expected_us(1), 5 * 6 * 100 * 1000 / 3);
	run_all();
}

/* Half a minute without a core is taken for a hundred times the time of the slice. */
QUEUE_TEST(a_pause_of_the_machine_refuses_nobody)
{
	struct lane_job *job;

	put(0, 1, 100 * 1000);
	job = lane_queue_take(&queue);
	lane_queue_give_back(
	    &queue, job,
	    &(struct lane_slice){.cpu_us = 1, .wall_us = 30 * 1000 * 1000, .has_more = true});
	assert_in_range(expected_us(1), 100 * 1000, 3 * 100 * 1000);
	run_all();
}

RUN_TESTS(NULL, NULL)

/* Order in which jobs of accounts get a lane's threads; the test sets the costs. */
#include "base/limits.h"
#include "base/memory.h"
#include "lane_queue_bed.h"

#include <errno.h>

QUEUE_TEST(jobs_of_one_account_keep_their_order)
{
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(add(1, 1), 0);
	for (unsigned i = 0; i < 3; i++) {
		struct lane_job *job;

		/* A job that has begun continues before the next one begins. */
		for (unsigned slice = 0; slice < 3; slice++) {
			job = lane_queue_take(&queue);
			assert_ptr_equal(job, &jobs[i]);
			give_back(job, 5000, slice < 2);
		}
	}
	assert_null(lane_queue_take(&queue));
}

/* An account has thirty long jobs, another comes later with one of four slices. */
QUEUE_TEST(an_account_waits_for_one_slice_of_each_other)
{
	unsigned others = 0;

	for (unsigned i = 0; i < 30; i++)
		assert_int_equal(add(1, 1), 0);
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(run_next(2000, true), 1);
	assert_int_equal(add(2, 1), 0);
	for (unsigned slices = 0; slices < 4; others++)
		if (run_next(2000, true) == 2)
			slices++;
	assert_in_range(others, 4, 8);
	run_all();
}

/* Turns count by their cost: slices of 20 ms beside those of 1 ms. */
QUEUE_TEST(time_is_shared_and_not_turns)
{
	uint64_t used_us[3] = {0};

	assert_int_equal(add(1, 1), 0);
	assert_int_equal(add(2, 1), 0);
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

/* An account without jobs for a while still owes the excess of its last one. */
QUEUE_TEST(debts_are_not_forgotten)
{
	unsigned others = 0;

	assert_int_equal(add(2, 1), 0);
	assert_int_equal(add(1, 1), 0);
	assert_int_equal(run_next(2000, true), 2);
	assert_int_equal(run_next(20000, false), 1);
	assert_int_equal(add(1, 1), 0);
	while (run_next(2000, true) == 2)
		others++;
	assert_in_range(others, 8, 12);
	run_all();
}

/* Keeps one of several threads for other accounts. */
QUEUE_TEST(no_account_holds_all_threads)
{
	struct lane_job *taken[3];

	lane_queue_init(&queue, 3, LIMIT, NS_PER_BYTE);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(add(1, 1), 0);
	taken[0] = lane_queue_take(&queue);
	taken[1] = lane_queue_take(&queue);
	assert_non_null(taken[0]);
	assert_non_null(taken[1]);
	assert_null(lane_queue_take(&queue));
	assert_int_equal(add(2, 1), 0);
	taken[2] = lane_queue_take(&queue);
	assert_ptr_equal(taken[2], &jobs[5]);
	for (unsigned i = 0; i < 3; i++)
		give_back(taken[i], 100, false);
	run_all();
}

QUEUE_TEST(an_account_fills_half_of_the_queue)
{
	for (unsigned i = 0; i < LIMIT / 2; i++)
		assert_int_equal(add(1, 1), 0);
	assert_int_equal(add(1, 1), -EDQUOT);
	for (unsigned i = 0; i < LIMIT / 4; i++)
		assert_int_equal(add(2, 1), 0);
	assert_int_equal(add(2, 1), -EDQUOT);
	for (unsigned i = 0; i < LIMIT / 4; i++)
		assert_int_equal(add((uint8_t)(3 + i), 1), 0);
	assert_int_equal(add(200, 1), -EAGAIN);
	run_all();
	job_count = 0;
	assert_int_equal(add(1, 1), 0);
	run_all();
}

/* A second half, such as that of a handshake, is accepted however many first halves wait. */
QUEUE_TEST(what_goes_on_is_never_refused)
{
	struct lane_job next = {.account = {{1}}, .size = 1, .goes_on = true}, last = next;
	unsigned own = 0;
	uint64_t wait_us;

	while (add(1, 1) == 0)
		own++;
	for (uint8_t other = 2; queue.waiting < LIMIT; other++)
		assert_int_equal(add(other, 1), 0);
	assert_int_equal(lane_queue_add(&queue, &next, &wait_us), 0);
	assert_int_equal(lane_queue_add(&queue, &last, &wait_us), 0);
	assert_int_equal(queue.waiting, LIMIT + 2);
	/* Before jobs that its account has not begun, in order, and in the account's turns. */
	assert_ptr_equal(lane_queue_take(&queue), &next);
	give_back(&next, LANE_TURN_US, false);
	assert_int_equal(run_next(LANE_TURN_US, false), 2);
	while (queue.waiting > own + 1)
		assert_int_not_equal(run_next(LANE_TURN_US, false), 1);
	assert_ptr_equal(lane_queue_take(&queue), &last);
	give_back(&last, 100, false);
	run_all();
}

/* Each job is expected to take 400 ms: a job that would wait for more than 5 s is refused, unless
 * it is of another account. */
QUEUE_TEST(what_would_wait_too_long_is_refused)
{
	const size_t size = 400000;
	uint64_t wait_us;
	unsigned taken = 0;

	job_count = 0;
	while (add(1, size) == 0)
		taken++;
	assert_int_equal(taken, LIMIT_LANE_WAIT_MS / 400 + 1);
	assert_int_equal(add(1, 1), -ETIME);
	assert_int_equal(add(2, size), 0);
	jobs[50] = (struct lane_job){.account = {{1}}};
	assert_int_equal(lane_queue_add(&queue, &jobs[50], &wait_us), -ETIME);
	assert_true(wait_us > LIMIT_LANE_WAIT_MS * 1000);
	run_all();
}

/* Jobs that take long for their size, such as small images, do not predict large ones, neither of
 * another account nor of the same one. */
QUEUE_TEST(small_jobs_refuse_no_large_ones)
{
	for (unsigned i = 0; i < 100; i++) {
		job_count = 0;
		assert_int_equal(add(1, 100), 0);
		run_next(10000, false);
	}
	job_count = 0;
	for (unsigned i = 0; i < 10; i++) {
		assert_int_equal(add(2, 200000), 0);
		assert_int_equal(add(1, 200000), 0);
	}
	run_all();
}

/* Estimates follow the real times of jobs, and how slowly threads get a core. */
QUEUE_TEST(the_wait_is_learnt)
{
	const size_t size = 400000;

	for (unsigned i = 0; i < 30; i++) {
		job_count = 0;
		assert_int_equal(add(1, size), 0);
		run_next(1000, false); /* a 400th of the estimate */
	}
	job_count = 0;
	for (unsigned i = 0; i < LIMIT / 2; i++)
		assert_int_equal(add(1, size), 0);
	run_all();
	for (unsigned i = 0; i < 300; i++) {
		struct lane_job *job;

		job_count = 0;
		assert_int_equal(add(1, 1000), 0);
		job = lane_queue_take(&queue);
		lane_queue_give_back(&queue, job,
				     &(struct lane_slice){.cpu_us = 100000, .wall_us = 1000000});
	}
	job_count = 0;
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(add(1, 1000), 0);
	assert_int_equal(add(1, 1000), -ETIME);
	run_all();
}

/* A dropped job does not change the cost per byte. */
QUEUE_TEST(dropped_jobs_teach_nothing)
{
	const size_t size = 400000;

	for (unsigned i = 0; i < 50; i++) {
		job_count = 0;
		assert_int_equal(add(1, size), 0);
		lane_queue_give_back(&queue, lane_queue_take(&queue),
				     &(struct lane_slice){.is_dropped = true});
	}
	what_would_wait_too_long_is_refused(state);
}

/* An account waits for no more of others' work than it has itself, since they take turns. */
QUEUE_TEST(short_jobs_of_others_do_not_count_as_long_ones)
{
	const size_t size = 400000;

	for (uint8_t account = 2; account < 32; account++)
		assert_int_equal(add(account, 1000), 0);
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(add(1, size), 0);
	run_all();
}

/* A single long wait for a core predicts little. */
QUEUE_TEST(one_slow_slice_refuses_nobody)
{
	const size_t size = 400000;
	struct lane_job *job;

	assert_int_equal(add(1, size), 0);
	job = lane_queue_take(&queue);
	lane_queue_give_back(
	    &queue, job,
	    &(struct lane_slice){.cpu_us = 2000, .wall_us = 100 * 2000, .has_more = true});
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(add(1, size), 0);
	run_all();
}

enum { CLIENTS = 50, SLICE_US = 2000, JOB_SLICES = 85, SIMULATED_US = 60 * 1000 * 1000 };

struct client {
	uint64_t next_us; /* when it asks again; UINT64_MAX: its job is in the queue */
	uint64_t asked_us;
	unsigned slices;
};

static struct client clients[CLIENTS];

/* Clients ask again at once after an answer, a second after a refusal. */
static void ask(uint64_t now_us)
{
	for (unsigned i = 0; i < CLIENTS; i++) {
		uint64_t wait_us;
		int error;

		if (clients[i].next_us > now_us)
			continue;
		jobs[i] = (struct lane_job){.account = {{1}}, .size = 190000};
		error = lane_queue_add(&queue, &jobs[i], &wait_us);
		clients[i] = (struct client){
		    .next_us = error ? now_us + 1000000 : UINT64_MAX,
		    .asked_us = now_us,
		};
	}
}

/* Simulates a minute. Returns the longest time from an accepted request to its answer in the
 * second half, when the pace is known. */
static uint64_t simulate(unsigned pace)
{
	uint64_t longest_us = 0;

	memset(clients, 0, sizeof(clients));
	for (uint64_t now_us = 0; now_us < SIMULATED_US;) {
		struct client *client;
		struct lane_job *job;

		ask(now_us);
		job = lane_queue_take(&queue);
		assert_non_null(job); /* the lane is never idle */
		client = &clients[job - jobs];
		now_us += SLICE_US * pace;
		lane_queue_give_back(
		    &queue, job,
		    &(struct lane_slice){.cpu_us = SLICE_US,
					 .wall_us = SLICE_US * pace,
					 .has_more = ++client->slices < JOB_SLICES});
		if (client->slices < JOB_SLICES)
			continue;
		client->next_us = now_us;
		if (client->asked_us > SIMULATED_US / 2 && now_us - client->asked_us > longest_us)
			longest_us = now_us - client->asked_us;
	}
	run_all();
	return longest_us;
}

/* A single account is refused only jobs that would wait for too long, whether or not its threads
 * get a core at once: no time of the lane is lost, and accepted jobs wait hardly longer than
 * predicted. */
QUEUE_TEST(an_account_alone_uses_the_whole_lane)
{
	const uint64_t limit_us = LIMIT_LANE_WAIT_MS * UINT64_C(1000);

	for (unsigned pace = 1; pace <= 8; pace *= 2)
		assert_in_range(simulate(pace), limit_us / 2, limit_us * 3 / 2);
}

RUN_TESTS(NULL, NULL)

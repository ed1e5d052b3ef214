/* A lane queue, and jobs of accounts in it; a test sets what they cost. */
#pragma once

/* clang-format off */
#include "../cmocka_test.h"
/* clang-format on */

#include "loop/lane_queue.h"

enum { LIMIT = 64, NS_PER_BYTE = 1000, JOBS = 100 };

static struct lane_queue queue;
static struct lane_job jobs[JOBS];
static unsigned job_count;

static int open_queue(void **state)
{
	(void)state;
	lane_queue_init(&queue, 1, LIMIT, NS_PER_BYTE);
	job_count = 0;
	return 0;
}

static int close_queue(void **state)
{
	(void)state;
	lane_queue_finish(&queue);
	return 0;
}

/* Adds the next job, which is then jobs[job_count - 1]. network: 0 for none. */
static int add_from(uint8_t network, uint8_t account, size_t size)
{
	struct lane_job *job = &jobs[job_count++];
	uint64_t wait_us;

	*job = (struct lane_job){.account = {{account}}, .network = {{network}}, .size = size};
	return lane_queue_add(&queue, job, &wait_us);
}

static inline int add(uint8_t account, size_t size)
{
	return add_from(0, account, size);
}

static void give_back(struct lane_job *job, uint64_t cpu_us, bool has_more)
{
	lane_queue_give_back(
	    &queue, job,
	    &(struct lane_slice){.cpu_us = cpu_us, .wall_us = cpu_us, .has_more = has_more});
}

/* Runs the next job for a slice. Returns its account. */
static uint8_t run_next(uint64_t cpu_us, bool has_more)
{
	struct lane_job *job = lane_queue_take(&queue);

	assert_non_null(job);
	give_back(job, cpu_us, has_more);
	return job->account.bytes[0];
}

static void run_all(void)
{
	while (queue.waiting > 0)
		run_next(100, false);
}

#define QUEUE_TEST(name) TEST_IN(name, open_queue, close_queue)

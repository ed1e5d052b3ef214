/* Worker lanes, with jobs that wait for a semaphore: the test, not the clock, decides which jobs
 * run in parallel. */
#include "../cmocka_test.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/require.h"
#include "loop/lanes.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

enum { THREADS = 6, JOBS = THREADS + LIMIT_SHORT_JOBS + LIMIT_LONG_JOBS + 1, ACCOUNTS = 32 };

struct job {
	struct lane_job lane_job;
	unsigned number;
	bool is_done;
};

static struct loop loop;
static struct job jobs[JOBS];
static sem_t gate;	   /* long jobs wait here */
static sem_t long_started; /* posted by each long job */
static atomic_uint long_running;
static atomic_uint long_running_most;
static unsigned done_count;
static unsigned stop_at; /* done jobs at which the loop stops */

static int open_lanes(void **state)
{
	(void)state;
	if (loop_init(&loop) || sem_init(&gate, 0, 0) || sem_init(&long_started, 0, 0))
		return -1;
	lanes_start(&loop, THREADS);
	done_count = stop_at = 0;
	atomic_store(&long_running_most, 0);
	return 0;
}

static int close_lanes(void **state)
{
	(void)state;
	lanes_stop(&loop);
	loop_finish(&loop);
	sem_destroy(&gate);
	sem_destroy(&long_started);
	return 0;
}

static bool run_short(struct lane_job *lane_job)
{
	container_of(lane_job, struct job, lane_job)->number++;
	return false;
}

static bool run_long(struct lane_job *lane_job)
{
	unsigned running = atomic_fetch_add(&long_running, 1) + 1;
	unsigned most = atomic_load(&long_running_most);

	while (running > most && !atomic_compare_exchange_weak(&long_running_most, &most, running))
		;
	container_of(lane_job, struct job, lane_job)->number++;
	sem_post(&long_started);
	while (sem_wait(&gate))
		require(errno == EINTR);
	atomic_fetch_sub(&long_running, 1);
	return false;
}

static void on_done(struct lane_job *lane_job)
{
	struct job *job = container_of(lane_job, struct job, lane_job);

	assert_int_equal(job->number, 1);
	assert_false(job->is_done);
	job->is_done = true;
	if (++done_count == stop_at)
		loop_stop(&loop);
}

static int submit(enum lane lane, struct job *job)
{
	unsigned retry_after_s = 0;
	int error;

	*job = (struct job){
	    .lane_job = {.run = lane == LANE_LONG ? run_long : run_short, .done = on_done},
	};
	job->lane_job.account.bytes[0] = (uint8_t)((job - jobs) % ACCOUNTS);
	error = lanes_submit(&loop, lane, &job->lane_job, &retry_after_s);
	assert_true(retry_after_s >= 1 && retry_after_s <= 30);
	return error;
}

static void open_gate(unsigned times)
{
	for (unsigned i = 0; i < times; i++)
		sem_post(&gate);
}

#define LANES_TEST(name) TEST_IN(name, open_lanes, close_lanes)

LANES_TEST(every_job_is_done_once)
{
	open_gate(50);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(submit(i % 2 ? LANE_LONG : LANE_SHORT, &jobs[i]), 0);
	assert_int_equal(done_count, 0);
	loop_run(&loop); /* ends by itself once nothing is under way */
	assert_int_equal(done_count, 100);
	assert_int_equal(lanes_load(&loop, LANE_SHORT) + lanes_load(&loop, LANE_LONG), 0);
}

/* Long jobs use all the threads permitted to them, and more of them wait; short ones still run. */
LANES_TEST(short_jobs_pass_long_ones)
{
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(submit(LANE_LONG, &jobs[i]), 0);
	for (unsigned i = 0; i < THREADS / 2; i++)
		sem_wait(&long_started);
	assert_true(lanes_have_waiting(&loop, LANE_LONG));
	assert_false(lanes_have_waiting(&loop, LANE_SHORT));
	for (unsigned i = 10; i < 110; i++)
		assert_int_equal(submit(LANE_SHORT, &jobs[i]), 0);
	stop_at = 100;
	loop_run(&loop);
	for (unsigned i = 0; i < 110; i++)
		assert_int_equal(jobs[i].is_done, i >= 10);
	assert_int_equal(lanes_load(&loop, LANE_LONG), 10);
	assert_int_equal(lanes_load(&loop, LANE_SHORT), 0);
	assert_int_equal(atomic_load(&long_running_most), THREADS / 2);
	open_gate(10);
	loop_run(&loop);
	assert_int_equal(done_count, 110);
	assert_int_equal(atomic_load(&long_running_most), THREADS / 2);
}

/* Fills a lane with jobs of all accounts, in turn. Returns the number of accepted jobs. */
static unsigned fill(enum lane lane, struct job *first)
{
	unsigned count = 0;

	while (submit(lane, &first[count]) == 0)
		count++;
	return count;
}

LANES_TEST(full_queues_refuse)
{
	unsigned long_count = fill(LANE_LONG, jobs), short_count;

	/* Each account leaves as much to others as it takes, so a little is left. */
	assert_in_range(long_count, LIMIT_LONG_JOBS - 4, THREADS / 2 + LIMIT_LONG_JOBS);
	/* the other lane has its own queue, and the remaining threads */
	short_count = fill(LANE_SHORT, &jobs[long_count]);
	assert_in_range(short_count, LIMIT_SHORT_JOBS - 32, THREADS / 2 + LIMIT_SHORT_JOBS);
	open_gate(long_count);
	loop_run(&loop);
	assert_int_equal(done_count, long_count + short_count);
	assert_int_equal(submit(LANE_SHORT, &jobs[0]), 0);
	loop_run(&loop);
	assert_int_equal(done_count, long_count + short_count + 1);
}

enum { STEPS = 1000 };

/* Uses CPU time, independent of the machine's load, in many steps. */
static bool run_steps(struct lane_job *lane_job)
{
	struct job *job = container_of(lane_job, struct job, lane_job);

	for (volatile unsigned i = 0; i < 20000; i++)
		;
	return ++job->number < STEPS;
}

static void on_steps_done(struct lane_job *lane_job)
{
	container_of(lane_job, struct job, lane_job)->is_done = true;
	done_count++;
}

static void on_other_done(struct lane_job *lane_job)
{
	(void)lane_job;
	for (unsigned i = 0; i < THREADS; i++)
		assert_false(jobs[i].is_done);
	done_count++;
}

/* Long jobs of one account, as many as threads, do not finish before another account's job of one
 * step has come and gone. */
LANES_TEST(long_jobs_give_their_threads_back)
{
	unsigned retry_after_s;
	struct job *other = &jobs[THREADS];

	for (unsigned i = 0; i < THREADS; i++) {
		jobs[i] = (struct job){.lane_job = {.run = run_steps, .done = on_steps_done}};
		assert_int_equal(lanes_submit(&loop, LANE_LONG, &jobs[i].lane_job, &retry_after_s),
				 0);
	}
	*other = (struct job){
	    .lane_job = {.account = {{1}}, .run = run_short, .done = on_other_done},
	};
	assert_int_equal(lanes_submit(&loop, LANE_LONG, &other->lane_job, &retry_after_s), 0);
	loop_run(&loop);
	assert_int_equal(done_count, THREADS + 1);
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(jobs[i].number, STEPS);
}

/* Its client leaves while it runs. */
static bool is_begun(struct lane_job *lane_job)
{
	return container_of(lane_job, struct job, lane_job)->number > 0;
}

static bool is_left_at_once(struct lane_job *lane_job)
{
	(void)lane_job;
	return true;
}

LANES_TEST(jobs_that_nobody_waits_for_are_dropped)
{
	unsigned retry_after_s;

	for (unsigned i = 0; i < 3; i++) {
		jobs[i] = (struct job){.lane_job = {.run = run_steps, .done = on_steps_done}};
		if (i > 0)
			jobs[i].lane_job.is_abandoned = i == 1 ? is_begun : is_left_at_once;
		assert_int_equal(lanes_submit(&loop, LANE_LONG, &jobs[i].lane_job, &retry_after_s),
				 0);
	}
	loop_run(&loop);
	assert_int_equal(done_count, 3);
	assert_int_equal(jobs[0].number, STEPS);
	assert_in_range(jobs[1].number, 1, STEPS - 1);
	assert_int_equal(jobs[2].number, 0);
	assert_int_equal(lanes_load(&loop, LANE_LONG), 0);
}

static unsigned given_up;

static void on_waited(struct lane_job *lane_job)
{
	given_up += lane_job->is_dropped;
	done_count++;
}

static int submit_handshake(struct job *job, uint8_t account)
{
	unsigned retry_after_s;

	*job =
	    (struct job){.lane_job = {.account = {{account}}, .run = run_long, .done = on_waited}};
	return lanes_submit(&loop, LANE_HANDSHAKE, &job->lane_job, &retry_after_s);
}

/* All threads are held, and handshakes of one address have filled their share: its next one
 * replaces the oldest, which is notified later. */
LANES_TEST(the_oldest_handshake_makes_room)
{
	static struct job many[LIMIT_HANDSHAKE_JOBS];
	unsigned count = 0, held = THREADS / 2 - 1;

	given_up = 0;
	while (lanes_load(&loop, LANE_HANDSHAKE) < held + LIMIT_HANDSHAKE_JOBS / 2)
		assert_int_equal(submit_handshake(&many[count++], 1), 0);
	assert_int_equal(submit_handshake(&many[count++], 1), 0);
	assert_int_equal(lanes_load(&loop, LANE_HANDSHAKE), held + LIMIT_HANDSHAKE_JOBS / 2);
	assert_int_equal(done_count, 0);
	stop_at = 0;
	open_gate(count);
	loop_run(&loop);
	assert_int_equal(done_count, count);
	assert_int_equal(given_up, 1);
	assert_true(many[held].lane_job.is_dropped);
}

/* Neither of them finishes. */
LANES_TEST(what_is_taken_out_is_not_done)
{
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(submit_handshake(&jobs[i], 1), 0);
	lanes_cancel(&loop, &jobs[THREADS - 1].lane_job);
	lanes_cancel(&loop, &jobs[THREADS - 2].lane_job);
	assert_int_equal(lanes_load(&loop, LANE_HANDSHAKE), THREADS - 2);
	open_gate(THREADS);
	loop_run(&loop);
	assert_int_equal(done_count, THREADS - 2);
	assert_int_equal(jobs[THREADS - 1].number, 0);
}

static struct job stream[THREADS * 2];
static unsigned stream_left;

static void on_stream_done(struct lane_job *lane_job)
{
	unsigned retry_after_s;

	if (stream_left == 0)
		return;
	stream_left--;
	assert_int_equal(lanes_submit(&loop, LANE_SHORT, lane_job, &retry_after_s), 0);
}

static unsigned stream_left_at_long;

static void on_long_done(struct lane_job *lane_job)
{
	(void)lane_job;
	stream_left_at_long = stream_left;
	stream_left = 0;
}

/* There is always a short job waiting; a long one must still get its turn. */
LANES_TEST(stream_of_short_jobs_starves_no_long_one)
{
	unsigned retry_after_s;

	stream_left = 100000;
	open_gate(1);
	for (unsigned i = 0; i < array_length(stream); i++) {
		stream[i].lane_job.run = run_short;
		stream[i].lane_job.done = on_stream_done;
		assert_int_equal(
		    lanes_submit(&loop, LANE_SHORT, &stream[i].lane_job, &retry_after_s), 0);
	}
	jobs[0] = (struct job){.lane_job = {.run = run_long, .done = on_long_done}};
	assert_int_equal(lanes_submit(&loop, LANE_LONG, &jobs[0].lane_job, &retry_after_s), 0);
	loop_run(&loop);
	assert_true(stream_left_at_long > 0);
}

static pthread_t threads_of_jobs[20];

static bool run_and_tell_thread(struct lane_job *lane_job)
{
	struct job *job = container_of(lane_job, struct job, lane_job);

	threads_of_jobs[job->number++] = pthread_self();
	return false;
}

static void on_told(struct lane_job *lane_job)
{
	unsigned retry_after_s;

	if (container_of(lane_job, struct job, lane_job)->number < array_length(threads_of_jobs))
		assert_int_equal(lanes_submit(&loop, LANE_SHORT, lane_job, &retry_after_s), 0);
}

/* Its memory is still in the caches of a processor. */
LANES_TEST(the_thread_that_had_a_job_last_gets_the_next)
{
	unsigned retry_after_s;

	jobs[0] = (struct job){.lane_job = {.run = run_and_tell_thread, .done = on_told}};
	assert_int_equal(lanes_submit(&loop, LANE_SHORT, &jobs[0].lane_job, &retry_after_s), 0);
	loop_run(&loop);
	assert_int_equal(jobs[0].number, array_length(threads_of_jobs));
	for (unsigned i = 1; i < array_length(threads_of_jobs); i++)
		assert_true(pthread_equal(threads_of_jobs[i], threads_of_jobs[0]));
}

RUN_TESTS(NULL, NULL)

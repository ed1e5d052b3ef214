#include "loop/lanes.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/require.h"
#include "loop/lane_queue.h"
#include "loop/lane_threads.h"
#include "metric/metric.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Nice value of the worker threads, so that the loop, and the database if it shares the machine,
 * continue while all cores convert pictures. SCHED_IDLE, SCHED_BATCH and other time slices did not
 * shorten waits. */
enum { NICE = 10 };

enum {
	RETRY_AFTER_MAX_S = 30,
	/* Number of abandoned jobs that a turn of the loop drops: each takes some microseconds. */
	DROPPED_A_TURN = 64,
};

/* The metrics have a name for each lane. */
_Static_assert((int)LANE_COUNT <= (int)METRIC_LANE_PREVIEW &&
		   (int)LANE_PASSWORD == (int)METRIC_LANE_PASSWORD,
	       "enum metric_lane begins with the lanes");

struct lanes {
	struct lane_queue queues[LANE_COUNT];
	struct lane_threads *pool;
	unsigned threads;    /* threads of the short and the long lane */
	struct list dropped; /* of struct lane_job: they are done without a thread */
	struct later end_dropped;
	struct loop *loop;
};

struct lane_kind {
	unsigned limit;	      /* waiting jobs */
	unsigned ns_per_byte; /* estimate, until jobs were measured */
	bool is_newest_first;
};

static const struct lane_kind kinds[LANE_COUNT] = {
    [LANE_SHORT] = {.limit = LIMIT_SHORT_JOBS, .ns_per_byte = 50},
    [LANE_LONG] = {.limit = LIMIT_LONG_JOBS, .ns_per_byte = 1000},
    /* Jobs of these lanes have one byte each. */
    [LANE_PASSWORD] = {.limit = LIMIT_PASSWORD_JOBS, .ns_per_byte = 50 * 1000 * 1000},
    [LANE_KNOWN_PASSWORD] = {.limit = LIMIT_PASSWORD_JOBS, .ns_per_byte = 50 * 1000 * 1000},
    [LANE_HANDSHAKE] = {.limit = LIMIT_HANDSHAKE_JOBS,
			.ns_per_byte = 2 * 1000 * 1000,
			.is_newest_first = true},
};

static unsigned threads_of(enum lane lane, unsigned threads)
{
	switch (lane) {
	case LANE_LONG:
		return threads / 2;
	case LANE_PASSWORD:
	case LANE_KNOWN_PASSWORD:
		return threads < 4 ? 1 : 2;
	case LANE_HANDSHAKE:
		return threads / 2;
	default:
		return threads;
	}
}

static bool has_own_threads(enum lane lane)
{
	return lane != LANE_SHORT && lane != LANE_LONG;
}

static void be_nice(void)
{
	static _Thread_local bool is_nice;

	if (!is_nice)
		setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
	is_nice = true;
}

static uint64_t thread_cpu_us(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* Lets a thread that waits for this core run first. Takes 60 us if none waits: the kernel's timer
 * slack. */
static void give_way(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 1}, NULL);
}

static void on_work(struct lane_job *job)
{
	uint64_t from_us = thread_cpu_us();

	be_nice();
	do {
		job->has_more = job->run(job);
		job->slice_us = thread_cpu_us() - from_us;
		if (!job->has_more || job->slice_us >= LANE_TURN_US)
			return;
		if (job->lane == LANE_LONG)
			give_way();
	} while (true);
}

static void start_waiting(struct loop *loop);

static void on_work_done(struct loop *loop, struct lane_job *job)
{
	struct lane_slice slice = {
	    .cpu_us = job->slice_us,
	    .wall_us = clock_monotonic_us() - job->started_us,
	    .has_more = job->has_more,
	};

	job->is_running = false;
	lane_queue_give_back(&loop->lanes->queues[job->lane], job, &slice);
	start_waiting(loop);
	if (!slice.has_more)
		job->done(job);
}

/* Checks the threads, which the short and the long lane share, so that their queues cannot. */
static bool has_free_thread(const struct lanes *lanes, enum lane lane)
{
	return has_own_threads(lane) ||
	       lanes->queues[LANE_SHORT].running + lanes->queues[LANE_LONG].running <
		   lanes->threads;
}

/* Ends a job that is in no queue any more, without a thread; later, since a caller may be
 * submitting another job. */
static void drop(struct loop *loop, struct lane_job *job)
{
	job->is_dropped = true;
	list_append(&loop->lanes->dropped, &job->node);
	loop_later(loop, &loop->lanes->end_dropped);
}

static void lanes_run(struct loop *loop, struct lane_job *job)
{
	job->is_running = true;
	job->started_us = clock_monotonic_us();
	if (job->submitted_us)
		metric_observe(METRIC_LANE_WAIT, (unsigned)job->lane,
			       job->started_us - job->submitted_us);
	job->submitted_us = 0;
	lane_threads_run(loop->lanes->pool, job);
}

/* Starts waiting jobs of the lane. Returns how many were dropped: at most dropped_max. */
static unsigned start_lane(struct loop *loop, enum lane lane, unsigned dropped_max)
{
	struct lane_queue *queue = &loop->lanes->queues[lane];
	unsigned dropped = 0;

	while (dropped < dropped_max && has_free_thread(loop->lanes, lane)) {
		struct lane_job *job = lane_queue_take(queue);

		if (!job)
			break;
		if (job->is_abandoned && job->is_abandoned(job)) {
			lane_queue_give_back(queue, job, &(struct lane_slice){.is_dropped = true});
			drop(loop, job);
			dropped++;
		} else {
			lanes_run(loop, job);
		}
	}
	return dropped;
}

static void start_waiting(struct loop *loop)
{
	unsigned dropped_max = DROPPED_A_TURN;

	/* The long lane first: it is limited to half of the threads anyway, and would starve behind
	 * an endless stream of short jobs. */
	for (int lane = LANE_COUNT - 1; lane >= 0; lane--)
		dropped_max -= start_lane(loop, (enum lane)lane, dropped_max);
}

static void on_end_dropped(struct later *later)
{
	struct lanes *lanes = container_of(later, struct lanes, end_dropped);
	struct list ending, *node;

	list_init(&ending);
	list_move_all(&ending, &lanes->dropped);
	start_waiting(lanes->loop); /* which may have stopped for these */
	while ((node = list_take_first(&ending))) {
		struct lane_job *job = container_of(node, struct lane_job, node);

		job->done(job);
	}
}

void lanes_start(struct loop *loop, unsigned threads)
{
	struct lanes *lanes = memory_zalloc(sizeof(*lanes));
	unsigned all_threads = threads;

	require(threads >= 2 && !loop->lanes);
	for (int lane = 0; lane < LANE_COUNT; lane++) {
		lane_queue_init(&lanes->queues[lane], threads_of(lane, threads), kinds[lane].limit,
				kinds[lane].ns_per_byte);
		lanes->queues[lane].is_newest_first = kinds[lane].is_newest_first;
		if (has_own_threads(lane))
			all_threads += threads_of(lane, threads);
	}
	lanes->loop = loop;
	list_init(&lanes->dropped);
	loop_later_init(&lanes->end_dropped, on_end_dropped);
	lanes->threads = threads;
	lanes->pool = lane_threads_create(loop, all_threads, on_work, on_work_done);
	loop->lanes = lanes;
}

void lanes_stop(struct loop *loop)
{
	struct lanes *lanes = loop->lanes;

	if (!lanes)
		return;
	require(list_is_empty(&lanes->dropped));
	for (int lane = 0; lane < LANE_COUNT; lane++)
		lane_queue_finish(&lanes->queues[lane]);
	lane_threads_destroy(lanes->pool);
	free(lanes);
	loop->lanes = NULL;
}

void lanes_tell(const struct loop *loop)
{
	for (unsigned lane = 0; loop->lanes && lane < LANE_COUNT; lane++)
		lane_tell(lane, &loop->lanes->queues[lane]);
}

/* Drops the oldest job to make room. Returns false if there is none to drop. */
static bool give_up_oldest(struct loop *loop, struct lane_queue *queue, const struct lane_job *job,
			   int error)
{
	struct lane_job *oldest = lane_queue_oldest(queue, job, error);

	if (!oldest)
		return false;
	lane_queue_remove(queue, oldest);
	drop(loop, oldest);
	lane_count_refusal(oldest->lane, error);
	return true;
}

int lanes_submit(struct loop *loop, enum lane lane, struct lane_job *job,
		 unsigned *ret_retry_after_s)
{
	struct lane_queue *queue = &loop->lanes->queues[lane];
	uint64_t wait_us;
	int error;

	job->lane = lane;
	job->is_dropped = false;
	error = lane_queue_add(queue, job, &wait_us);
	if (error && queue->is_newest_first && give_up_oldest(loop, queue, job, error))
		error = lane_queue_add(queue, job, &wait_us);
	*ret_retry_after_s = 1 + (unsigned)(wait_us / 1000000);
	if (*ret_retry_after_s > RETRY_AFTER_MAX_S)
		*ret_retry_after_s = RETRY_AFTER_MAX_S;
	job->submitted_us = clock_monotonic_us();
	if (error == 0)
		start_waiting(loop);
	else
		lane_count_refusal(lane, error);
	return error;
}

void lanes_cancel(struct loop *loop, struct lane_job *job)
{
	require(!job->is_running);
	if (job->queue_share)
		lane_queue_remove(&loop->lanes->queues[job->lane], job);
	else
		list_remove(&job->node);
}

unsigned lanes_load(const struct loop *loop, enum lane lane)
{
	return loop->lanes->queues[lane].waiting + loop->lanes->queues[lane].running;
}

bool lanes_have_waiting(const struct loop *loop, enum lane lane)
{
	return loop->lanes->queues[lane].waiting > 0;
}

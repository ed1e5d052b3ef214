#include "loop/lanes.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/require.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Of the worker threads: the loop, and the database where it shares the machine, go on while all
 * cores convert pictures. */
enum { NICE = 10 };

struct lanes {
	struct list waiting[LANE_COUNT]; /* of struct lane_job */
	unsigned waiting_count[LANE_COUNT];
	unsigned running[LANE_COUNT];
	unsigned threads;
	unsigned long_threads; /* of them for LANE_LONG at most */
};

static const unsigned queue_limits[LANE_COUNT] = {
    [LANE_SHORT] = LIMIT_SHORT_JOBS,
    [LANE_LONG] = LIMIT_LONG_JOBS,
};

void lanes_start(struct loop *loop, unsigned threads)
{
	struct lanes *lanes = memory_zalloc(sizeof(*lanes));
	char size[16];

	require(threads >= 2 && !loop->lanes);
	for (int lane = 0; lane < LANE_COUNT; lane++)
		list_init(&lanes->waiting[lane]);
	lanes->threads = threads;
	lanes->long_threads = threads / 2;
	snprintf(size, sizeof(size), "%u", threads);
	setenv("UV_THREADPOOL_SIZE", size, 1);
	loop->lanes = lanes;
}

void lanes_stop(struct loop *loop)
{
	struct lanes *lanes = loop->lanes;

	if (!lanes)
		return;
	for (int lane = 0; lane < LANE_COUNT; lane++)
		require(lanes->running[lane] == 0 && lanes->waiting_count[lane] == 0);
	free(lanes);
	loop->lanes = NULL;
}

static bool may_run(const struct lanes *lanes, enum lane lane)
{
	if (lanes->running[LANE_SHORT] + lanes->running[LANE_LONG] >= lanes->threads)
		return false;
	return lane == LANE_SHORT || lanes->running[LANE_LONG] < lanes->long_threads;
}

static void be_nice(void)
{
	static _Thread_local bool is_nice;

	if (!is_nice)
		setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
	is_nice = true;
}

static void on_work(uv_work_t *work)
{
	struct lane_job *job = container_of(work, struct lane_job, work);

	be_nice();
	job->run(job);
}

static void start_waiting(struct loop *loop);

static void on_work_done(uv_work_t *work, int status)
{
	struct lane_job *job = container_of(work, struct lane_job, work);
	struct loop *loop = work->loop->data;

	require(status == 0); /* jobs are never cancelled */
	job->lanes->running[job->lane]--;
	start_waiting(loop);
	job->done(job);
}

static void start_waiting(struct loop *loop)
{
	struct lanes *lanes = loop->lanes;

	/* The long lane first: it is held to half of the threads anyway, and would starve behind an
	 * endless stream of short jobs. */
	for (int lane = LANE_COUNT - 1; lane >= 0; lane--) {
		while (!list_is_empty(&lanes->waiting[lane]) && may_run(lanes, (enum lane)lane)) {
			struct list *node = list_take_first(&lanes->waiting[lane]);
			struct lane_job *job = container_of(node, struct lane_job, node);

			lanes->waiting_count[lane]--;
			lanes->running[lane]++;
			require(uv_queue_work(&loop->uv, &job->work, on_work, on_work_done) == 0);
		}
	}
}

int lanes_submit(struct loop *loop, enum lane lane, struct lane_job *job)
{
	struct lanes *lanes = loop->lanes;

	if (lanes->waiting_count[lane] >= queue_limits[lane])
		return -EAGAIN;
	job->lanes = lanes;
	job->lane = lane;
	list_append(&lanes->waiting[lane], &job->node);
	lanes->waiting_count[lane]++;
	start_waiting(loop);
	return 0;
}

void lanes_give_way(void)
{
	/* About 50 us: the kernel's timer slack. */
	nanosleep(&(struct timespec){.tv_nsec = 1}, NULL);
}

unsigned lanes_load(const struct loop *loop, enum lane lane)
{
	return loop->lanes->waiting_count[lane] + loop->lanes->running[lane];
}

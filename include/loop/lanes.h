/* Worker threads in two lanes over libuv's pool.
 *
 *   LANE_SHORT  a still picture, a password hash: a few milliseconds at most
 *   LANE_LONG   animations: up to a second. At most half of the threads run it, so that a long job
 *               never stands before a short one; up to that half it is served first, so that a
 *               stream of short jobs never starves it
 *
 * Each lane has a bounded queue; when it is full, lanes_submit() fails and its caller answers 503.
 * A job gets its memory on the loop, before it starts; the worker thread touches only its job.
 *
 * The threads have a lower priority than the loop. That is not enough where the database waits for
 * a core as well: the kernel chooses only every few milliseconds which thread runs, and where it
 * compares groups of processes, a thread's priority does not count. So long jobs give way in
 * between. */
#pragma once

#include "loop/loop.h"

enum lane { LANE_SHORT, LANE_LONG, LANE_COUNT };

struct lane_job {
	uv_work_t work;			    /* private */
	struct list node;		    /* private */
	struct lanes *lanes;		    /* private */
	enum lane lane;			    /* private */
	void (*run)(struct lane_job *job);  /* on a worker thread */
	void (*done)(struct lane_job *job); /* on the loop, always; the job may go after it */
};

/* threads: those of libuv's pool that the lanes may use, at least 2. Sets loop->lanes. The process
 * must not have used the pool before (UV_THREADPOOL_SIZE is set here). */
void lanes_start(struct loop *loop, unsigned threads);

/* All jobs must be done. */
void lanes_stop(struct loop *loop);

/* Queues a job; job->run and job->done are set. 0, or -EAGAIN when the lane's queue is full: then
 * done is never called. The job must stay where it is until done runs. */
__attribute__((warn_unused_result)) int lanes_submit(struct loop *loop, enum lane lane,
						     struct lane_job *job);

/* Called by long jobs, at best every 100 to 200 us: a thread that waits for this core runs first.
 * Takes 60 us where none waits. */
void lanes_give_way(void);

/* Jobs that wait or run. */
unsigned lanes_load(const struct loop *loop, enum lane lane);

/* Threads of the lanes.
 *
 * libuv's own pool is not used: in libuv 1.44, uv_async_send() wakes the loop before the sending
 * thread has released the handle, and the loop spins until then. Since the loop has a higher
 * priority than the threads here, a thread on the same core does not get to release it. That took a
 * seventh of all CPU time while many pictures were converted. */
#pragma once

#include "loop/lanes.h"

struct lane_threads;

/* Creates count threads, which start with the first job. A thread calls work for a job, then the
 * loop calls done for it. */
struct lane_threads *lane_threads_create(struct loop *loop, unsigned count,
					 void (*work)(struct lane_job *job),
					 void (*done)(struct loop *loop, struct lane_job *job));

/* Runs a job. Call it on the loop, with at most as many jobs at a time as there are threads. The
 * thread that was busy last gets the job, since its memory is still in the caches of its processor.
 * The job's node is used until done; loop_run() continues until then. */
void lane_threads_run(struct lane_threads *threads, struct lane_job *job);

/* Call it on the loop, when all jobs are done. Waits for the idle threads; the rest is freed in the
 * loop's next turn. */
void lane_threads_destroy(struct lane_threads *threads);

/* The threads under the lanes.
 *
 * libuv has a pool of its own, but 1.44 tells its loop of finished work before it has left the
 * handle that it tells it by (uv_async_send()), and the loop spins until it has. Here the loop has
 * a higher priority than the threads: where it wakes on the same core, the thread does not come to
 * leave it. That was a seventh of all CPU time while many pictures were converted. */
#pragma once

#include "loop/lanes.h"

struct lane_threads;

/* count threads, which start with the first job. Each calls work for a job, and the loop calls done
 * after it, both with the job that was run. */
struct lane_threads *lane_threads_create(struct loop *loop, unsigned count,
					 void (*work)(struct lane_job *job),
					 void (*done)(struct loop *loop, struct lane_job *job));

/* On the loop, with at most as many jobs at a time as there are threads. The thread that had a job
 * last gets it, since the memory of that one's conversion is still in the caches of its processor.
 * The job's node is used until done; loop_run() goes on until then. */
void lane_threads_run(struct lane_threads *threads, struct lane_job *job);

/* On the loop, when all jobs are done. Waits for the threads, which have nothing to do; the rest
 * goes with the loop's next turn. */
void lane_threads_destroy(struct lane_threads *threads);

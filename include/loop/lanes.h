/* Worker threads in lanes.
 *
 *   LANE_SHORT  a still picture, or a large text of a body or an answer: a few milliseconds at most
 *   LANE_LONG   animations, pictures for clients, and texts above LIMIT_SHORT_TEXT_BYTES: up to a
 *               second. At most half of the threads run it, so that a short job never waits for
 *               long ones only; up to that half it is served first, so that a stream of short jobs
 *               never starves it
 *   LANE_PASSWORD  hash of a password: 30 ms and 19 MiB each. It has threads of its own, one or
 *               two, so that guessed passwords do not occupy those of the other lanes
 *   LANE_KNOWN_PASSWORD  the same for known browsers, and passkeys: they do not wait behind guessed
 *               passwords
 *   LANE_HANDSHAKE  TLS handshake of a new connection: 1 to 3 ms. It has threads of its own, half
 *               as many as the first two; connections share it by network and address. If many of
 *               an address wait, the newest goes first, and the oldest is dropped if the queue is
 *               full
 *
 * Accounts share each lane: they take turns of 2 ms of CPU time, and none holds all threads of a
 * lane that has more than one. The accounts of a network share its turns (loop/lane_queue.h). A job
 * works in steps; when its turn is over, it gives its thread back and waits for its account's next
 * turn.
 *
 * Each lane has a bounded queue, of which an account may fill as much as it leaves to others. A job
 * whose expected wait, by previous measurements, is too long is refused before it starts. All this
 * is per worker: an account with connections to several workers has a share in each.
 *
 * A job gets its memory on the loop, before it starts; the worker thread touches only its job.
 *
 * The threads have a lower priority than the loop. That is not enough if the database needs the
 * core as well: the kernel chooses only every few milliseconds which thread runs, and between
 * groups of processes a thread's priority does not count. So long jobs yield between two steps. */
#pragma once

#include "base/id.h"
#include "loop/loop.h"

enum lane { LANE_SHORT, LANE_LONG, LANE_PASSWORD, LANE_KNOWN_PASSWORD, LANE_HANDSHAKE, LANE_COUNT };

struct lane_share;

struct lane_job {
	struct list node;		/* private: where it waits, or has run */
	struct lane_share *queue_share; /* private; NULL: it is in no queue */
	uint64_t used_us;		/* private: CPU time of the slices so far */
	uint64_t slice_us;		/* private: CPU time of the last slice */
	uint64_t started_us;		/* private: when the last slice was given to the threads */
	uint64_t submitted_us;		/* private; 0: it has begun */
	enum lane lane;			/* private */
	bool has_more;			/* private */
	bool is_running;		/* private: the pool has it */
	/* Set for done if the job was not run to its end: is_abandoned returned true, or the job
	 * had waited longest when others needed room. */
	bool is_dropped;

	struct id account; /* account whose share it uses; all zero: jobs without an account share
			      one */
	/* Network whose accounts take turns with the accounts of other networks. All zero: the
	 * account has no network, and counts as a network. */
	struct id network;
	size_t size; /* bytes of input, to estimate its time */
	/* Continues the work of a previous job. Such a job is never refused, since the previous
	 * job's time would be lost, and runs before jobs that its account has not begun. */
	bool goes_on;
	/* Does a step, on a worker thread: ideally 100 to 200 us. Returns whether there are more.
	 */
	bool (*run)(struct lane_job *job);
	/* Called on the loop before each slice: returns true if nobody waits for the job any
	 * longer; then it ends without its other steps. NULL: it always runs to its end. */
	bool (*is_abandoned)(struct lane_job *job);
	void (*done)(struct lane_job *job); /* always called, on the loop; may free the job */
};

/* threads: number for the short and the long lane, at least 2. They start with the first job. Sets
 * loop->lanes. */
void lanes_start(struct loop *loop, unsigned threads);

/* Stops the lanes. All jobs must be done. Waits for the threads; the rest is freed in the loop's
 * next turn. */
void lanes_stop(struct loop *loop);

/* Queues a job, whose public members are set. Returns 0; or an error, and done is never called:
 *   -EAGAIN  the lane's queue is full
 *   -EDQUOT  the account has its share of the queue
 *   -ETIME   it would wait for longer than LIMIT_LANE_WAIT_MS
 * *ret_retry_after_s: when to try again, 1 to 30. The job must stay where it is until done runs. */
__attribute__((warn_unused_result)) int
lanes_submit(struct loop *loop, enum lane lane, struct lane_job *job, unsigned *ret_retry_after_s);

/* Removes a job that was submitted and has not begun. done is not called. */
void lanes_cancel(struct loop *loop, struct lane_job *job);

/* Number of jobs that wait or run. */
unsigned lanes_load(const struct loop *loop, enum lane lane);
/* Whether any job waits in the lane. */
bool lanes_have_waiting(const struct loop *loop, enum lane lane);
/* Sets the gauges of all lanes. */
void lanes_tell(const struct loop *loop);

/* CPU time of a job that is done. */
static inline uint64_t lane_job_cpu_us(const struct lane_job *job)
{
	return job->used_us;
}

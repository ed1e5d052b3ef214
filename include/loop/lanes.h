/* Worker threads in lanes.
 *
 *   LANE_SHORT  a still picture, or a large text of a body or an answer: a few milliseconds at most
 *   LANE_LONG   animations: up to a second. At most half of the threads run it, so that a long job
 *               never stands before a short one; up to that half it is served first, so that a
 *               stream of short jobs never starves it
 *   LANE_PASSWORD  a password's hash: 30 ms and 19 MiB each. It has threads of its own, one or two,
 *               so that nobody who failed attempts passwords holds those of the other lanes
 *   LANE_KNOWN_PASSWORD  the same for those who are no strangers, and passkeys: they do not wait
 *               behind failed attempts
 *   LANE_HANDSHAKE  what a new connection computes in TLS: 1 to 3 ms. It has threads of its own,
 *               half as many as the first two; connections share it by the network and the address
 *               that they come from. Where many of an address wait, the newest one goes first, and
 *               the oldest one makes room where there is none
 *
 * The accounts share each lane: they take turns of 2 ms of CPU time, and none holds all threads of
 * a lane that has more than one. Those of a network share its turns (loop/lane_queue.h). A job
 * works in steps; when its turn is over, it gives its thread back and waits for its account's next
 * turn.
 *
 * Each lane has a bounded queue, of which an account may fill as many places as it leaves to
 * others. A job that would wait for too long, by what was measured of those before it, is refused
 * before it starts. All this is a worker's own: an account that is connected to several of them has
 * a share in each.
 *
 * A job gets its memory on the loop, before it starts; the worker thread touches only its job.
 *
 * The threads have a lower priority than the loop. That is not enough where the database waits for
 * a core as well: the kernel chooses only every few milliseconds which thread runs, and where it
 * compares groups of processes, a thread's priority does not count. So long jobs give way between
 * two steps. */
#pragma once

#include "base/id.h"
#include "loop/loop.h"

enum lane { LANE_SHORT, LANE_LONG, LANE_PASSWORD, LANE_KNOWN_PASSWORD, LANE_HANDSHAKE, LANE_COUNT };

struct lane_share;

struct lane_job {
	struct list node;		/* private: where it waits, or has run */
	struct lane_share *queue_share; /* private; NULL: it is in no queue */
	uint64_t used_us;		/* private: CPU time of the slices so far, */
	uint64_t slice_us;		/* of the last one */
	uint64_t started_us;		/* private: when that was handed to the pool */
	uint64_t submitted_us;		/* private; 0: it has begun */
	enum lane lane;			/* private */
	bool has_more;			/* private */
	bool is_running;		/* private: the pool has it */
	/* Set for done if the job was not run to its end: is_abandoned returned true, or the job
	 * had waited longest when others needed its place. */
	bool is_dropped;

	struct id account; /* whose share it uses; all zero: that of those who have none */
	/* Network whose accounts take turns with the accounts of other networks. All zero: the
	 * account has no network, and counts as a network. */
	struct id network;
	size_t size; /* bytes that it works on, to foretell its time by that of others */
	/* Continues the work of a previous job. Such a job is never refused, since the previous
	 * job's time would be lost, and goes before all that its account has not begun. */
	bool goes_on;
	/* A step, on a worker thread: 100 to 200 us at best. Returns whether there are more. */
	bool (*run)(struct lane_job *job);
	/* On the loop, before each slice: true where nobody waits for the job any longer, which is
	 * then done without its other steps. NULL: it always runs to its end. */
	bool (*is_abandoned)(struct lane_job *job);
	void (*done)(struct lane_job *job); /* on the loop, always; the job may go after it */
};

/* threads: those that the short and the long lane may use, at least 2. They start with the first
 * job. Sets loop->lanes. */
void lanes_start(struct loop *loop, unsigned threads);

/* All jobs must be done. The threads are waited for; the rest goes with the loop's next turn. */
void lanes_stop(struct loop *loop);

/* Queues a job, whose public members are set. 0, or where it is refused, and done is never called:
 *   -EAGAIN  the lane's queue is full
 *   -EDQUOT  the account has its share of the queue
 *   -ETIME   it would wait for longer than LIMIT_LANE_WAIT_MS
 * *ret_retry_after_s: when to try again, 1 to 30. The job must stay where it is until done runs. */
__attribute__((warn_unused_result)) int
lanes_submit(struct loop *loop, enum lane lane, struct lane_job *job, unsigned *ret_retry_after_s);

/* Takes out a job that was submitted and has not begun: done is not called. */
void lanes_cancel(struct loop *loop, struct lane_job *job);

/* Jobs that wait or run. */
unsigned lanes_load(const struct loop *loop, enum lane lane);
/* Whether a job waits for those before it. */
bool lanes_have_waiting(const struct loop *loop, enum lane lane);
/* The jobs of all lanes, as they are now, for the metrics. */
void lanes_tell(const struct loop *loop);

/* CPU time of a job that is done. */
static inline uint64_t lane_job_cpu_us(const struct lane_job *job)
{
	return job->used_us;
}

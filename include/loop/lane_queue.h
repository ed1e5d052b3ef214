/* Orders the jobs of one lane for its threads: fair between networks, and in each network between
 * accounts.
 *
 * Networks take turns, and the accounts of a network share its turns. The cost of each turn is
 * measured in CPU time of the thread (deficit round robin with costs known afterwards). An account
 * whose slice took longer than its turn waits for as many rounds, even if it has no jobs meanwhile.
 * The jobs of one account run in order of arrival, and a job that has begun continues before the
 * next one begins (a slice is the work of a job until it gives its thread back): so no account ever
 * has more unfinished results than threads. An account without a network counts as a network.
 *
 * A queue may serve the newest job first (is_newest_first), once an account's jobs would wait for
 * half a second: so its last client is still served, whereas in order of arrival each would wait
 * until it gives up. The oldest job then makes room for the newest one (lane_queue_oldest()).
 *
 * Pure: no thread, no clock. */
#pragma once

#include "base/map.h"
#include "loop/lanes.h"

enum { LANE_TURN_US = 2000 };

struct lane_queue {
	struct map networks;  /* of struct lane_share */
	struct list members;  /* of struct lane_share, in order of their turns */
	unsigned share_count; /* networks and accounts that are remembered */
	unsigned threads;
	unsigned account_threads; /* threads that one network may hold */
	unsigned limit;		  /* waiting jobs */
	unsigned waiting;
	unsigned running;
	unsigned active;	/* networks with unfinished jobs */
	unsigned ns_per_byte;	/* CPU time that jobs took, by their size; a moving average */
	unsigned us_per_job;	/* CPU time that jobs took; a moving average */
	unsigned pace_permille; /* wall time of a slice in relation to its CPU time; a moving
				   average */
	bool is_newest_first;	/* see above; set after lane_queue_init() */
	/* NULL, or tests whether the account may have a thread now; for jobs without a network. Set
	 * after lane_queue_init(). */
	bool (*may_run)(const struct lane_queue *queue, struct id account);
};

/* ns_per_byte: initial estimate. */
void lane_queue_init(struct lane_queue *queue, unsigned threads, unsigned limit,
		     unsigned ns_per_byte);

/* Forgets all accounts. No job may be left. */
void lane_queue_finish(struct lane_queue *queue);

/* Adds a job. Returns 0, or an error of lanes_submit(); in both cases sets the expected wait of the
 * job. */
__attribute__((warn_unused_result)) int lane_queue_add(struct lane_queue *queue,
						       struct lane_job *job, uint64_t *ret_wait_us);

/* Takes out a job that waits. */
void lane_queue_remove(struct lane_queue *queue, struct lane_job *job);

/* Returns the job that shall make room for a job refused with -EDQUOT or -EAGAIN: the oldest of the
 * account with most jobs, in the network of the refused job or in the largest network. NULL: none,
 * since jobs that have begun stay. */
struct lane_job *lane_queue_oldest(struct lane_queue *queue, const struct lane_job *job, int error);

/* Takes the next job for a free thread; NULL: none may run now. */
struct lane_job *lane_queue_take(struct lane_queue *queue);

struct lane_slice {
	uint64_t cpu_us;
	uint64_t wall_us;
	bool has_more;	 /* the job waits again */
	bool is_dropped; /* it ended without its other steps: its time does not count for the
			    estimate */
};

/* Returns a job after a slice. Ends it unless it has more. */
void lane_queue_give_back(struct lane_queue *queue, struct lane_job *job,
			  const struct lane_slice *slice);

/* Report a lane queue to the metrics. lane: of enum metric_lane; error: of lane_queue_add(). */
void lane_count_refusal(unsigned lane, int error);
void lane_tell(unsigned lane, const struct lane_queue *queue);

/* The jobs of one lane, in the order in which they get its threads: fair between networks, and in
 * each network between accounts.
 *
 * Networks take turns, and the accounts of a network share its turns. What each turn used is
 * measured in CPU time of the thread (a deficit round robin whose costs are known afterwards). An
 * account whose slice took longer than its turn gave waits for as many rounds, also if it has no
 * jobs meanwhile. The jobs of one account run in the order in which they came, and what has begun
 * goes on before the next one begins (a slice is what a job does until it gives its thread back):
 * so there are never more half-made results than threads for each account. An account that names no
 * network is one by itself.
 *
 * A queue may serve the newest job first (is_newest_first), once an account's jobs would wait for
 * half a second: its last client still gets through, where in order of arrival each would wait
 * until it gives up. The oldest job then makes room for the newest one (lane_queue_oldest()).
 *
 * Pure: no thread, no clock. */
#pragma once

#include "base/map.h"
#include "loop/lanes.h"

enum { LANE_TURN_US = 2000 };

struct lane_queue {
	struct map networks;  /* of struct lane_share */
	struct list members;  /* the same; the next one's turn first */
	unsigned share_count; /* networks and accounts that are remembered */
	unsigned threads;
	unsigned account_threads; /* that one network may hold */
	unsigned limit;		  /* waiting jobs */
	unsigned waiting;
	unsigned running;
	unsigned active;	/* networks with unfinished jobs */
	unsigned ns_per_byte;	/* CPU time that jobs took, by their size; a moving average */
	unsigned us_per_job;	/* CPU time that jobs took; likewise */
	unsigned pace_permille; /* time for a slice by its CPU time; a moving average */
	bool is_newest_first;	/* see above; to be set after lane_queue_init() */
	/* NULL, or whether the account may have a thread now; for jobs that name no network. Set
	 * after lane_queue_init(). */
	bool (*may_run)(const struct lane_queue *queue, struct id account);
};

/* ns_per_byte: a first guess. */
void lane_queue_init(struct lane_queue *queue, unsigned threads, unsigned limit,
		     unsigned ns_per_byte);

/* Forgets all accounts; no job is left. */
void lane_queue_finish(struct lane_queue *queue);

/* 0, or an error of lanes_submit(); both set the time that the job will wait, by what is known. */
__attribute__((warn_unused_result)) int lane_queue_add(struct lane_queue *queue,
						       struct lane_job *job, uint64_t *ret_wait_us);

/* Takes out a job that waits. */
void lane_queue_remove(struct lane_queue *queue, struct lane_job *job);

/* The job that is to make room for one which was refused with -EDQUOT or -EAGAIN: the oldest of the
 * account that has most, in the network of the refused job or in the largest one. NULL: none, for
 * those that have begun stay. */
struct lane_job *lane_queue_oldest(struct lane_queue *queue, const struct lane_job *job, int error);

/* The next job for a free thread, or NULL: none may run now. */
struct lane_job *lane_queue_take(struct lane_queue *queue);

struct lane_slice {
	uint64_t cpu_us;
	uint64_t wall_us;
	bool has_more;	 /* the job waits again */
	bool is_dropped; /* it ended without its other steps: nothing is learnt of its size */
};

/* A job that was taken has run for a slice. Ends it unless it has more. */
void lane_queue_give_back(struct lane_queue *queue, struct lane_job *job,
			  const struct lane_slice *slice);

/* Report a lane queue to the metrics. lane: of enum metric_lane; error: of lane_queue_add(). */
void lane_count_refusal(unsigned lane, int error);
void lane_tell(unsigned lane, const struct lane_queue *queue);

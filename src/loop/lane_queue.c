#include "loop/lane_queue.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/require.h"
#include "metric/metric.h"

#include <errno.h>
#include <stdlib.h>

enum {
	PACE_PERMILLE = 1000,
	PACE_MAX_PERMILLE = 100 * 1000,
	/* Divisor of a new value's weight in a moving average: of jobs, and of slices, single ones
	 * of which may wait long for a core. */
	AVERAGE_OF_JOBS = 8,
	AVERAGE_OF_SLICES = 64,
	/* If an account's jobs would wait for longer, its newest one is served first, if the queue
	 * allows that. */
	LANE_LATE_US = 500 * 1000,
	/* Maximum of shares without jobs that are remembered because they owe time. */
	LANE_DEBTORS_MAX = 1024,
};

/* Share of a network, or of an account of a network: both take turns. */
struct lane_share {
	struct id id;
	struct map_node mapped; /* key: id. In the queue's networks, or the network's accounts */
	struct list node;	/* in the members of the queue, or of its network */
	struct lane_share *network; /* of an account; NULL: a network itself */
	struct map accounts;	    /* of a network */
	struct list members;	    /* of struct lane_share, in order of their turns */
	struct list begun;	    /* of an account: struct lane_job that wait to continue */
	struct list waiting;	    /* of an account: other waiting jobs */
	unsigned waiting_count;	    /* number of both; of a network, those of its accounts */
	unsigned running;
	int64_t credit_us;	  /* CPU time of this round that is left; below 0: it owes time */
	uint64_t unfinished_size; /* size of its jobs that wait or run */
	uint64_t unfinished_us;	  /* CPU time that these have used already */
	unsigned ns_per_byte;	  /* moving average, as in the queue */
	unsigned us_per_job;
};

void lane_queue_init(struct lane_queue *queue, unsigned threads, unsigned limit,
		     unsigned ns_per_byte)
{
	*queue = (struct lane_queue){
	    .threads = threads,
	    .account_threads = threads > 1 ? threads - 1 : 1,
	    .limit = limit,
	    .ns_per_byte = ns_per_byte,
	    .us_per_job = LIMIT_LANE_WAIT_MS * 1000, /* until jobs were measured, bytes decide */
	    .pace_permille = PACE_PERMILLE,
	};
	list_init(&queue->members);
}

static bool is_active(const struct lane_share *share)
{
	return share->waiting_count + share->running > 0;
}

static struct lane_share *share_of(struct list *node)
{
	return container_of(node, struct lane_share, node);
}

/* ---- shares ---- */

static struct str key_of(const struct id *id)
{
	return (struct str){(const char *)id->bytes, ID_BYTES};
}

static void forget(struct lane_queue *queue, struct lane_share *share)
{
	list_for_each (node, &share->members)
		forget(queue, share_of(node));
	map_finish(&share->accounts);
	map_remove(share->network ? &share->network->accounts : &queue->networks, &share->mapped);
	list_remove(&share->node);
	queue->share_count--;
	free(share);
}

static void forget_idle(struct lane_queue *queue)
{
	list_for_each (node, &queue->members)
		if (!is_active(share_of(node)))
			forget(queue, share_of(node));
}

void lane_queue_finish(struct lane_queue *queue)
{
	require(queue->active == 0);
	forget_idle(queue);
	map_finish(&queue->networks);
}

static struct lane_share *lane_queue_find(const struct map *map, const struct id *id)
{
	struct map_node *node = map_find(map, key_of(id));

	return node ? container_of(node, struct lane_share, mapped) : NULL;
}

static struct lane_share *new_share(struct lane_queue *queue, struct id id,
				    struct lane_share *network)
{
	struct lane_share *share = memory_zalloc(sizeof(*share));

	share->id = id;
	share->network = network;
	share->credit_us = LANE_TURN_US;
	share->ns_per_byte = queue->ns_per_byte;
	share->us_per_job = queue->us_per_job;
	list_init(&share->members);
	list_init(&share->begun);
	list_init(&share->waiting);
	list_append(network ? &network->members : &queue->members, &share->node);
	map_insert(network ? &network->accounts : &queue->networks, &share->mapped,
		   key_of(&share->id));
	queue->share_count++;
	return share;
}

/* The job's network; an account without a network counts as its own. */
static struct id network_of(const struct lane_job *job)
{
	return id_is_none(job->network) ? job->account : job->network;
}

/* ---- waiting ---- */

/* Returns the estimated CPU time of the share's unfinished jobs. Many small images take long for
 * their bytes, and a few hostile ones for their number: the lesser of both estimates counts, so
 * that large images are not refused because of them. */
static uint64_t left_us(const struct lane_share *share)
{
	uint64_t jobs = share->waiting_count + share->running;
	uint64_t by_jobs_us = jobs * share->us_per_job;
	uint64_t total_us = share->unfinished_size * share->ns_per_byte / 1000;

	if (total_us > by_jobs_us)
		total_us = by_jobs_us;
	return total_us > share->unfinished_us ? total_us - share->unfinished_us : 0;
}

/* Returns the CPU time that the members use while one of them uses own_us, since they take turns.
 */
static uint64_t shared_us(const struct list *members, const struct lane_share *own, uint64_t own_us)
{
	uint64_t sum_us = own_us;

	list_for_each (node, members) {
		uint64_t other_us = share_of(node) == own ? 0 : left_us(share_of(node));

		sum_us += other_us < own_us ? other_us : own_us;
	}
	return sum_us;
}

/* Returns the time that the account's next job has to wait: the CPU time of its unfinished jobs,
 * and as much of every other account of its network, and then of every other network, which have
 * their turns meanwhile; at the pace at which threads get a core. */
static uint64_t wait_us(const struct lane_queue *queue, const struct lane_share *account)
{
	uint64_t alone_us, total_us;

	if (!account || !is_active(account))
		return 0;
	alone_us = left_us(account);
	total_us = shared_us(&account->network->members, account, alone_us);
	total_us = shared_us(&queue->members, account->network, total_us) / queue->threads;
	alone_us /= queue->account_threads;
	return (alone_us > total_us ? alone_us : total_us) * queue->pace_permille / PACE_PERMILLE;
}

/* Whether a share has as many jobs as it leaves to others: a single one fills half of the queue,
 * and there is always room for a further one. */
static bool has_enough(const struct lane_queue *queue, const struct lane_share *share)
{
	unsigned own = share ? share->waiting_count : 0;

	return own > 0 && own >= queue->limit - queue->waiting;
}

static int check_room(const struct lane_queue *queue, const struct lane_share *network,
		      const struct lane_share *account, uint64_t job_wait_us)
{
	if (queue->waiting >= queue->limit)
		return -EAGAIN;
	if (has_enough(queue, network) || has_enough(queue, account))
		return -EDQUOT;
	return !queue->is_newest_first && job_wait_us > LIMIT_LANE_WAIT_MS * UINT64_C(1000) ? -ETIME
											    : 0;
}

/* Adds to the waiting jobs of the queue, an account and its network. */
static void count_waiting(struct lane_queue *queue, struct lane_share *share, int count)
{
	queue->waiting = (unsigned)((int)queue->waiting + count);
	for (; share; share = share->network)
		share->waiting_count = (unsigned)((int)share->waiting_count + count);
}

int lane_queue_add(struct lane_queue *queue, struct lane_job *job, uint64_t *ret_wait_us)
{
	struct id network_id = network_of(job);
	struct lane_share *network = lane_queue_find(&queue->networks, &network_id);
	struct lane_share *account =
	    network ? lane_queue_find(&network->accounts, &job->account) : NULL;
	int error;

	*ret_wait_us = wait_us(queue, account);
	error = job->goes_on ? 0 : check_room(queue, network, account, *ret_wait_us);
	if (error)
		return error;
	if (!network)
		network = new_share(queue, network_id, NULL);
	if (!account)
		account = new_share(queue, job->account, network);
	queue->active += !is_active(network);
	job->queue_share = account;
	job->used_us = 0;
	list_append(job->goes_on ? &account->begun : &account->waiting, &job->node);
	count_waiting(queue, account, 1);
	for (struct lane_share *share = account; share; share = share->network)
		share->unfinished_size += job->size;
	return 0;
}

/* ---- turns ---- */

static bool may_run(const struct lane_queue *queue, const struct lane_share *share)
{
	return share->waiting_count > 0 && share->running < queue->account_threads &&
	       (!queue->may_run || queue->may_run(queue, share->id));
}

/* Begins as many rounds as needed until a member that may run has credit. Returns false if none may
 * run. */
static bool begin_round(struct lane_queue *queue, struct list *members)
{
	int64_t least_us = INT64_MAX; /* least time owed */

	list_for_each (node, members) {
		const struct lane_share *share = share_of(node);

		if (may_run(queue, share) && -share->credit_us < least_us)
			least_us = -share->credit_us;
	}
	if (least_us == INT64_MAX)
		return false;
	least_us = (least_us / LANE_TURN_US + 1) * LANE_TURN_US;
	list_for_each (node, members) {
		struct lane_share *share = share_of(node);

		share->credit_us += least_us;
		if (share->credit_us > LANE_TURN_US)
			share->credit_us = LANE_TURN_US; /* cap unused credit at one turn */
		if (share->credit_us > 0 && !is_active(share))
			forget(queue, share);
	}
	return true;
}

static struct lane_share *next_with_credit(const struct lane_queue *queue, struct list *members)
{
	list_for_each (node, members)
		if (share_of(node)->credit_us > 0 && may_run(queue, share_of(node)))
			return share_of(node);
	return NULL;
}

/* Returns the member whose turn it is; NULL: none may run. */
static struct lane_share *next_share(struct lane_queue *queue, struct list *members)
{
	struct lane_share *share = next_with_credit(queue, members);

	if (!share && begin_round(queue, members))
		share = next_with_credit(queue, members);
	if (!share)
		return NULL;
	list_remove(&share->node);
	list_append(members, &share->node);
	return share;
}

static struct list *next_job(const struct lane_queue *queue, struct lane_share *account)
{
	bool is_late = left_us(account) * queue->pace_permille / PACE_PERMILLE > LANE_LATE_US;

	if (!list_is_empty(&account->begun))
		return account->begun.next;
	return queue->is_newest_first && is_late ? account->waiting.previous
						 : account->waiting.next;
}

struct lane_job *lane_queue_take(struct lane_queue *queue)
{
	struct lane_share *share = NULL;
	struct list *node;

	if (queue->waiting == 0 || queue->running >= queue->threads)
		return NULL;
	share = next_share(queue, &queue->members);
	share = share ? next_share(queue, &share->members) : NULL;
	if (!share)
		return NULL;
	node = next_job(queue, share);
	list_remove(node);
	count_waiting(queue, share, -1);
	queue->running++;
	for (; share; share = share->network)
		share->running++;
	return container_of(node, struct lane_job, node);
}

static void learn(unsigned *average, uint64_t value, int values)
{
	int64_t difference = (int64_t)value - (int64_t)*average;

	*average = (unsigned)((int64_t)*average + difference / values);
}

static void learn_pace(struct lane_queue *queue, const struct lane_slice *slice)
{
	uint64_t permille;

	if (slice->cpu_us == 0)
		return;
	permille = slice->wall_us * PACE_PERMILLE / slice->cpu_us;
	if (permille < PACE_PERMILLE)
		permille = PACE_PERMILLE;
	learn(&queue->pace_permille, permille < PACE_MAX_PERMILLE ? permille : PACE_MAX_PERMILLE,
	      AVERAGE_OF_SLICES);
}

static void learn_cost(struct lane_queue *queue, const struct lane_job *job)
{
	uint64_t ns_per_byte = job->size ? job->used_us * 1000 / job->size : 0;

	learn(&queue->us_per_job, job->used_us, AVERAGE_OF_JOBS);
	if (job->size)
		learn(&queue->ns_per_byte, ns_per_byte, AVERAGE_OF_JOBS);
	for (struct lane_share *share = job->queue_share; share; share = share->network) {
		learn(&share->us_per_job, job->used_us, AVERAGE_OF_JOBS);
		if (job->size)
			learn(&share->ns_per_byte, ns_per_byte, AVERAGE_OF_JOBS);
	}
}

/* Forgets a share whose jobs are done, unless it owes time. The number of debtors is limited, since
 * an attacker may use any number of addresses. */
static void rest(struct lane_queue *queue, struct lane_share *share)
{
	struct lane_share *network = share->network;

	if (is_active(share))
		return;
	if (!network)
		queue->active--;
	if (share->credit_us > 0 || queue->share_count > queue->limit + LANE_DEBTORS_MAX)
		forget(queue, share);
	if (network)
		rest(queue, network);
}

/* Ends a job that is no longer counted as waiting. */
static void end_job(struct lane_queue *queue, struct lane_job *job)
{
	struct lane_share *account = job->queue_share;

	require(account);
	job->queue_share = NULL;
	for (struct lane_share *share = account; share; share = share->network) {
		share->unfinished_size -= job->size;
		share->unfinished_us -= job->used_us;
	}
	rest(queue, account);
	/* Cancel all debts if no share is active: nobody waits for the owed time. */
	if (queue->active == 0)
		forget_idle(queue);
}

void lane_queue_give_back(struct lane_queue *queue, struct lane_job *job,
			  const struct lane_slice *slice)
{
	struct lane_share *account = job->queue_share;

	require(account);
	queue->running--;
	for (struct lane_share *share = account; share; share = share->network) {
		share->running--;
		share->credit_us -= (int64_t)slice->cpu_us;
		share->unfinished_us += slice->cpu_us;
	}
	job->used_us += slice->cpu_us;
	learn_pace(queue, slice);
	if (!slice->has_more) {
		if (!slice->is_dropped)
			learn_cost(queue, job);
		end_job(queue, job);
		return;
	}
	list_append(&account->begun, &job->node);
	count_waiting(queue, account, 1);
}

/* ---- removal ---- */

void lane_queue_remove(struct lane_queue *queue, struct lane_job *job)
{
	list_remove(&job->node);
	count_waiting(queue, job->queue_share, -1);
	end_job(queue, job);
}

static struct lane_share *largest(struct list *members)
{
	struct lane_share *found = NULL;

	list_for_each (node, members)
		if (!found || share_of(node)->waiting_count > found->waiting_count)
			found = share_of(node);
	return found;
}

struct lane_job *lane_queue_oldest(struct lane_queue *queue, const struct lane_job *job, int error)
{
	struct id network_id = network_of(job);
	struct lane_share *network = error == -EDQUOT
					 ? lane_queue_find(&queue->networks, &network_id)
					 : largest(&queue->members);
	struct lane_share *account = network ? largest(&network->members) : NULL;

	return account && !list_is_empty(&account->waiting)
		   ? container_of(account->waiting.next, struct lane_job, node)
		   : NULL;
}

void lane_count_refusal(unsigned lane, int error)
{
	unsigned reason = error == -EDQUOT  ? METRIC_JOB_SHARE_FULL
			  : error == -ETIME ? METRIC_JOB_TOO_LATE
					    : METRIC_JOB_QUEUE_FULL;

	metric_add(METRIC_LANE_REFUSED, metric_pair(METRIC_LANE_REFUSED, lane, reason), 1);
}

void lane_tell(unsigned lane, const struct lane_queue *queue)
{
	metric_set(METRIC_LANE_JOBS, metric_pair(METRIC_LANE_JOBS, lane, METRIC_JOB_WAITING),
		   queue->waiting);
	metric_set(METRIC_LANE_JOBS, metric_pair(METRIC_LANE_JOBS, lane, METRIC_JOB_RUNNING),
		   queue->running);
}

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
	/* A new value's weight in a moving average is one of so many: of jobs; of slices, of which
	 * single ones wait long for a core. */
	AVERAGE_OF_JOBS = 8,
	AVERAGE_OF_SLICES = 64,
};

struct lane_account {
	struct id id;
	struct list node;	/* in the queue's accounts */
	struct list begun;	/* of struct lane_job: those that wait to go on */
	struct list waiting;	/* likewise: the others */
	unsigned waiting_count; /* of both */
	unsigned running;
	int64_t credit_us;	  /* CPU time of this round that is left; below 0: it owes time */
	uint64_t unfinished_size; /* of its jobs that wait or run */
	uint64_t unfinished_us;	  /* that these have used already */
	unsigned ns_per_byte;	  /* as in the queue */
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
	    .us_per_job = LIMIT_LANE_WAIT_MS * 1000, /* until some are known, bytes decide */
	    .pace_permille = PACE_PERMILLE,
	};
	list_init(&queue->accounts);
}

static bool is_active(const struct lane_account *account)
{
	return account->waiting_count + account->running > 0;
}

static void forget(struct lane_account *account)
{
	list_remove(&account->node);
	free(account);
}

static void forget_idle(struct lane_queue *queue)
{
	list_for_each (node, &queue->accounts) {
		struct lane_account *account = container_of(node, struct lane_account, node);

		if (!is_active(account))
			forget(account);
	}
}

void lane_queue_finish(struct lane_queue *queue)
{
	require(queue->active == 0);
	forget_idle(queue);
}

static struct lane_account *find(struct lane_queue *queue, struct id id)
{
	list_for_each (node, &queue->accounts) {
		struct lane_account *account = container_of(node, struct lane_account, node);

		if (id_equal(account->id, id))
			return account;
	}
	return NULL;
}

static struct lane_account *new_account(struct lane_queue *queue, struct id id)
{
	struct lane_account *account = memory_zalloc(sizeof(*account));

	account->id = id;
	account->credit_us = LANE_TURN_US;
	account->ns_per_byte = queue->ns_per_byte;
	account->us_per_job = queue->us_per_job;
	list_init(&account->begun);
	list_init(&account->waiting);
	list_append(&queue->accounts, &account->node);
	return account;
}

/* CPU time that the account's unfinished jobs will still take, by what is known. Many small images
 * take long for their bytes, and a few hostile ones for their number: the lesser of both counts,
 * so that they do not have large ones refused. */
static uint64_t left_us(const struct lane_account *account)
{
	uint64_t jobs = account->waiting_count + account->running;
	uint64_t by_jobs_us = jobs * account->us_per_job;
	uint64_t total_us = account->unfinished_size * account->ns_per_byte / 1000;

	if (total_us > by_jobs_us)
		total_us = by_jobs_us;
	return total_us > account->unfinished_us ? total_us - account->unfinished_us : 0;
}

/* How long the account's unfinished jobs, and with them its next one, have to wait: for their own
 * CPU time, and for as much of every other account, which has its turns meanwhile; at the pace at
 * which threads get a core. */
static uint64_t wait_us(const struct lane_queue *queue, const struct lane_account *account)
{
	uint64_t own_us, alone_us, shared_us = 0;

	if (!account || !is_active(account))
		return 0;
	own_us = left_us(account);
	list_for_each (node, &queue->accounts) {
		uint64_t other_us = left_us(container_of(node, struct lane_account, node));

		shared_us += other_us < own_us ? other_us : own_us;
	}
	alone_us = own_us / queue->account_threads;
	shared_us /= queue->threads;
	return (alone_us > shared_us ? alone_us : shared_us) * queue->pace_permille / PACE_PERMILLE;
}

static int check_room(const struct lane_queue *queue, const struct lane_account *account,
		      uint64_t job_wait_us)
{
	unsigned own = account ? account->waiting_count : 0;

	if (queue->waiting >= queue->limit)
		return -EAGAIN;
	/* As many as it leaves to others: a single account fills half of the queue, and however
	 * many share it, a further one still finds a place. */
	if (own > 0 && own >= queue->limit - queue->waiting)
		return -EDQUOT;
	return job_wait_us > LIMIT_LANE_WAIT_MS * UINT64_C(1000) ? -ETIME : 0;
}

int lane_queue_add(struct lane_queue *queue, struct lane_job *job, uint64_t *ret_wait_us)
{
	struct lane_account *account = find(queue, job->account);
	int error;

	*ret_wait_us = wait_us(queue, account);
	error = job->goes_on ? 0 : check_room(queue, account, *ret_wait_us);
	if (error)
		return error;
	if (!account)
		account = new_account(queue, job->account);
	queue->active += !is_active(account);
	job->queue_account = account;
	job->used_us = 0;
	list_append(job->goes_on ? &account->begun : &account->waiting, &job->node);
	account->waiting_count++;
	account->unfinished_size += job->size;
	queue->waiting++;
	return 0;
}

static bool may_run(const struct lane_queue *queue, const struct lane_account *account)
{
	return account->waiting_count > 0 && account->running < queue->account_threads;
}

/* Begins as many rounds as it takes until one of those that may run has credit. False: none may. */
static bool begin_round(struct lane_queue *queue)
{
	int64_t least_us = INT64_MAX; /* what is owed */

	list_for_each (node, &queue->accounts) {
		struct lane_account *account = container_of(node, struct lane_account, node);

		if (may_run(queue, account) && -account->credit_us < least_us)
			least_us = -account->credit_us;
	}
	if (least_us == INT64_MAX)
		return false;
	least_us = (least_us / LANE_TURN_US + 1) * LANE_TURN_US;
	list_for_each (node, &queue->accounts) {
		struct lane_account *account = container_of(node, struct lane_account, node);

		account->credit_us += least_us;
		if (account->credit_us > LANE_TURN_US)
			account->credit_us = LANE_TURN_US; /* nobody saves up */
		if (account->credit_us > 0 && !is_active(account))
			forget(account);
	}
	return true;
}

static struct lane_account *next_account(struct lane_queue *queue)
{
	list_for_each (node, &queue->accounts) {
		struct lane_account *account = container_of(node, struct lane_account, node);

		if (account->credit_us > 0 && may_run(queue, account))
			return account;
	}
	return NULL;
}

struct lane_job *lane_queue_take(struct lane_queue *queue)
{
	struct lane_account *account;
	struct list *node;

	if (queue->waiting == 0 || queue->running >= queue->threads)
		return NULL;
	account = next_account(queue);
	if (!account && begin_round(queue))
		account = next_account(queue);
	if (!account)
		return NULL;
	list_remove(&account->node);
	list_append(&queue->accounts, &account->node);
	node =
	    list_take_first(list_is_empty(&account->begun) ? &account->waiting : &account->begun);
	account->waiting_count--;
	account->running++;
	queue->waiting--;
	queue->running++;
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
	uint64_t ns_per_byte;

	learn(&queue->us_per_job, job->used_us, AVERAGE_OF_JOBS);
	learn(&job->queue_account->us_per_job, job->used_us, AVERAGE_OF_JOBS);
	if (job->size == 0)
		return;
	ns_per_byte = job->used_us * 1000 / job->size;
	learn(&queue->ns_per_byte, ns_per_byte, AVERAGE_OF_JOBS);
	learn(&job->queue_account->ns_per_byte, ns_per_byte, AVERAGE_OF_JOBS);
}

static void end_job(struct lane_queue *queue, const struct lane_job *job)
{
	struct lane_account *account = job->queue_account;

	account->unfinished_size -= job->size;
	account->unfinished_us -= job->used_us;
	if (is_active(account))
		return;
	queue->active--;
	if (account->credit_us > 0)
		forget(account);
	/* Who owes time to nobody owes none. */
	if (queue->active == 0)
		forget_idle(queue);
}

void lane_queue_give_back(struct lane_queue *queue, struct lane_job *job,
			  const struct lane_slice *slice)
{
	struct lane_account *account = job->queue_account;

	account->running--;
	queue->running--;
	account->credit_us -= (int64_t)slice->cpu_us;
	account->unfinished_us += slice->cpu_us;
	job->used_us += slice->cpu_us;
	learn_pace(queue, slice);
	if (!slice->has_more) {
		if (!slice->is_dropped)
			learn_cost(queue, job);
		end_job(queue, job);
		return;
	}
	list_append(&account->begun, &job->node);
	account->waiting_count++;
	queue->waiting++;
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

#include "blocked.h"
#include "base/limits.h"
#include "base/require.h"

enum {
	/* Interval of the checks for an overdue write. */
	LOOK_MS = 250,
	/* If an account has so many write queues here, all its writes come here. */
	QUEUES_OF_ACCOUNT = 2,
	ANSWER_MS = 10 * 1000,
};

static struct retry *retry_of(struct connection *connection)
{
	return container_of(connection, struct retry, connection);
}

static void on_wake(struct later *later)
{
	(void)later; /* the end of the turn does the work */
}

/* ---- shares ---- */

static bool is_of(const struct write_queue *queue, struct id account_id)
{
	return queue && id_equal(queue->account_id, account_id);
}

bool blocked_wants(const struct blocked *blocked, struct id account_id)
{
	unsigned queues = 0;

	if (blocked->count < QUEUES_OF_ACCOUNT)
		return false;
	list_for_each (turn, &blocked->waiting)
		queues += is_of(write_queue_at(turn), account_id);
	for (unsigned i = 0; i < RETRY_CONNECTIONS; i++)
		queues += is_of(blocked->retries[i].queue, account_id);
	return queues >= QUEUES_OF_ACCOUNT;
}

static bool has_room(const struct blocked *blocked, struct id account_id)
{
	unsigned writes = 0;

	list_for_each (turn, &blocked->waiting)
		writes += is_of(write_queue_at(turn), account_id) ? write_queue_at(turn)->count : 0;
	for (unsigned i = 0; i < RETRY_CONNECTIONS; i++) {
		const struct write_queue *queue = blocked->retries[i].queue;

		writes += is_of(queue, account_id) ? queue->count + queue->under_way : 0;
	}
	return writes < LIMIT_BLOCKED_OF_ACCOUNT && blocked->count < LIMIT_BLOCKED;
}

void blocked_add(struct blocked *blocked, struct write_queue *queue, struct db_query *query)
{
	if (!has_room(blocked, queue->account_id)) {
		late_answer(blocked->late, query, DB_BLOCKED);
		return;
	}
	if (!query->is_asked_again)
		query->since_ms = loop_now_ms(blocked->loop);
	write_queue_append(queue, query);
	blocked->count++;
}

/* ---- write queues ---- */

static void wait_for_turn(struct blocked *blocked, struct write_queue *queue)
{
	list_append(&blocked->waiting, &queue->turn);
	if (!deadline_is_set(&blocked->overdue))
		deadline_set(blocked->loop, &blocked->overdue, LOOK_MS);
	loop_later(blocked->loop, &blocked->wake);
}

static void answer_first(struct blocked *blocked, struct write_queue *queue,
			 enum db_outcome outcome)
{
	struct db_query *query = write_queue_take(queue);

	blocked->count--;
	late_answer(blocked->late, query, outcome);
}

/* Continues with a write queue that is in no queue and has nothing under way. */
static void go_on(struct blocked *blocked, struct write_queue *queue)
{
	if (queue->count)
		wait_for_turn(blocked, queue);
	else
		write_queue_destroy(blocked->queues, queue);
}

void blocked_add_queue(struct blocked *blocked, struct write_queue *queue)
{
	struct db_query *query;
	struct list queries;
	struct list *node;

	list_init(&queries);
	while ((query = write_queue_take(queue)))
		list_append(&queries, &query->node);
	queue->is_blocked = true;
	queue->has_met_lock = false;
	wait_for_turn(blocked, queue);
	while ((node = list_take_first(&queries)))
		blocked_add(blocked, queue, container_of(node, struct db_query, node));
	if (queue->count == 0)
		write_queue_destroy(blocked->queues, queue);
}

static void answer_all_unavailable(struct blocked *blocked)
{
	struct list *turn;

	while ((turn = list_take_first(&blocked->waiting))) {
		struct write_queue *queue = write_queue_at(turn);

		while (queue->count)
			answer_first(blocked, queue, DB_UNAVAILABLE);
		write_queue_destroy(blocked->queues, queue);
	}
}

static bool is_overdue(const struct blocked *blocked, struct write_queue *queue)
{
	const struct db_query *query = write_queue_first(queue);

	return query && loop_now_ms(blocked->loop) - query->since_ms >= LIMIT_BLOCKED_MS;
}

static void on_overdue(struct deadline *deadline)
{
	struct blocked *blocked = container_of(deadline, struct blocked, overdue);

	list_for_each (turn, &blocked->waiting) {
		struct write_queue *queue = write_queue_at(turn);

		while (is_overdue(blocked, queue))
			answer_first(blocked, queue, DB_BLOCKED);
		if (queue->count == 0)
			write_queue_destroy(blocked->queues, queue);
	}
	if (blocked->count)
		deadline_set(blocked->loop, deadline, LOOK_MS);
}

/* ---- connections ---- */

/* Ends the attempt of a write queue's first write. */
static struct write_queue *end_attempt(struct connection *connection)
{
	struct write_queue *queue = retry_of(connection)->queue;

	retry_of(connection)->queue = NULL;
	return queue;
}

static void on_answer(struct connection *connection, struct db_query *query,
		      const struct db_result *result)
{
	struct blocked *blocked = connection->owner;
	struct write_queue *queue = end_attempt(connection);

	queue->under_way--;
	blocked->count--;
	loop_later(blocked->loop, &blocked->wake);
	if (queue->count) {
		blocked->count -= queue->count;
		queue->is_blocked = false;
		blocked->on_free(blocked, queue);
	} else {
		write_queue_destroy(blocked->queues, queue);
	}
	query->done(query, result);
}

static void on_locked(struct connection *connection, struct db_query *query, bool is_culprit)
{
	struct blocked *blocked = connection->owner;
	struct write_queue *queue = end_attempt(connection);

	(void)is_culprit; /* the write was the only one */
	write_queue_return(queue, query);
	while (is_overdue(blocked, queue))
		answer_first(blocked, queue, DB_BLOCKED);
	go_on(blocked, queue);
}

static void on_return(struct connection *connection, struct db_query *query, bool may_repeat)
{
	struct blocked *blocked = connection->owner;
	struct write_queue *queue = end_attempt(connection);

	write_queue_return(queue, query);
	if (!may_repeat)
		answer_first(blocked, queue, DB_UNAVAILABLE);
	go_on(blocked, queue);
}

static void on_up(struct connection *connection)
{
	struct blocked *blocked = connection->owner;

	on_demand_use(&blocked->on_demand);
	loop_later(blocked->loop, &blocked->wake);
}

static void on_down(struct connection *connection)
{
	struct blocked *blocked = connection->owner;

	if (on_demand_is_hopeless(&blocked->on_demand))
		answer_all_unavailable(blocked);
}

/* ---- turns ---- */

static bool is_under_way(const struct blocked *blocked, struct id account_id)
{
	for (unsigned i = 0; i < RETRY_CONNECTIONS; i++) {
		if (is_of(blocked->retries[i].queue, account_id))
			return true;
	}
	return false;
}

/* Takes the first write queue whose account has none under way, and moves that account's others
 * behind those of other accounts. */
static struct write_queue *take_next(struct blocked *blocked)
{
	struct write_queue *next = NULL;
	struct list others;

	list_init(&others);
	list_for_each (turn, &blocked->waiting) {
		struct write_queue *queue = write_queue_at(turn);

		if (!next && !is_under_way(blocked, queue->account_id)) {
			next = queue;
			list_remove(turn);
		} else if (next && is_of(queue, next->account_id)) {
			list_remove(turn);
			list_append(&others, turn);
		}
	}
	list_move_all(&blocked->waiting, &others);
	return next;
}

/* Sends the first write of the queue, or answers it if it became stale while it waited. */
static void send_first(struct blocked *blocked, struct retry *retry)
{
	struct write_queue *queue = retry->queue;
	struct db_query *query = write_queue_first(queue);
	struct list queries;

	if (write_is_stale(query, loop_now_ms(blocked->loop))) {
		retry->queue = NULL;
		answer_first(blocked, queue, DB_STALE);
		go_on(blocked, queue);
		return;
	}
	(void)write_queue_take(queue);
	retry->queue->under_way++;
	list_init(&queries);
	list_append(&queries, &query->node);
	connection_flush(&retry->connection,
			 pipeline_send(&retry->connection.pipeline, &queries, 1));
	on_demand_use(&blocked->on_demand);
}

static bool is_awaited(const struct blocked *blocked)
{
	list_for_each (turn, &blocked->waiting) {
		if (!is_under_way(blocked, write_queue_at(turn)->account_id))
			return true;
	}
	return false;
}

void blocked_flush(struct blocked *blocked)
{
	for (unsigned i = 0; i < RETRY_CONNECTIONS; i++) {
		struct retry *retry = &blocked->retries[i];
		struct pipeline *pipeline = &retry->connection.pipeline;

		if (!connection_is_up(&retry->connection))
			continue;
		if (!list_is_empty(&pipeline->again)) {
			connection_flush(&retry->connection, pipeline_send_again(pipeline));
			continue;
		}
		if (!retry->queue && (retry->queue = take_next(blocked)))
			send_first(blocked, retry);
	}
	if (is_awaited(blocked))
		on_demand_need(&blocked->on_demand);
}

unsigned blocked_count_up(const struct blocked *blocked)
{
	unsigned count = 0;

	for (unsigned i = 0; i < RETRY_CONNECTIONS; i++)
		count += connection_is_up(&blocked->retries[i].connection);
	return count;
}

void blocked_start(struct blocked *blocked, const struct connection *connection, uint64_t idle_ms)
{
	static const struct connection_role role = {
	    .name = "retry",
	    .metric = METRIC_DATABASE_BLOCKED,
	    .first = "SELECT set_config('lock_timeout', '100', false)",
	    .answer_ms = ANSWER_MS,
	    .on_answer = on_answer,
	    .on_return = on_return,
	    .on_locked = on_locked,
	    .on_up = on_up,
	    .on_down = on_down,
	};

	blocked->loop = connection->loop;
	list_init(&blocked->waiting);
	loop_later_init(&blocked->wake, on_wake);
	deadline_init(&blocked->overdue, on_overdue);
	on_demand_init(&blocked->on_demand, blocked->loop, idle_ms);
	for (unsigned i = 0; i < RETRY_CONNECTIONS; i++) {
		struct connection *retry = &blocked->retries[i].connection;

		*retry = *connection;
		retry->role = &role;
		retry->owner = blocked;
		retry->number = i;
		retry->first_slot = WRITER_RETRIES;
		on_demand_add(&blocked->on_demand, retry);
	}
}

void blocked_close(struct blocked *blocked)
{
	on_demand_finish(&blocked->on_demand);
	for (unsigned i = 0; i < RETRY_CONNECTIONS; i++)
		connection_close(&blocked->retries[i].connection);
	answer_all_unavailable(blocked);
	deadline_clear(blocked->loop, &blocked->overdue);
	require(blocked->count == 0);
}

void blocked_finish(struct blocked *blocked)
{
	loop_later_cancel(&blocked->wake);
}

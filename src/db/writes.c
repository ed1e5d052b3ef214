#include "writes.h"
#include "base/require.h"

enum {
	ANSWER_MS = 10 * 1000,
	/* Number of crowded turns, within CROWD_MS, that need one more connection. */
	CROWDED_TURNS = 8,
	CROWD_MS = 1000,
	/* Number of group commits under way on a connection. */
	SHARED_BATCHES = 4,
};

static void on_wake(struct later *later)
{
	(void)later; /* the end of the turn does the work */
}

static void answer_unavailable(struct writes *writes, struct db_query *query)
{
	writes->count--;
	late_answer(writes->late, query, DB_UNAVAILABLE);
}

static bool shares_commit(const struct writes *writes, const struct db_query *query)
{
	return writes->statements[query->statement].shares_commit && query->parameters.values[0];
}

/* Whether a group commit would wait there for a single write, which may take longer. */
static bool is_held_up(const struct writes *writes, unsigned index)
{
	return writes->pool.connections[index].pipeline.batch_count > 0 && !writes->shares[index];
}

/* Writes that share a commit have the first connection: the more of them in a commit, the less each
 * costs. Single writes have the others, by the write queue's key. */
static unsigned usual_connection(const struct writes *writes, const struct db_query *query)
{
	unsigned others = writes->pool.count - 1;

	if (others == 0 || shares_commit(writes, query))
		return 0;
	if (!query->parameters.count || !query->parameters.values[0])
		return 1;
	return 1 + db_parameters_hash(&query->parameters) % others;
}

/* Chooses a connection that is up: for single writes the first only if no other is up, for group
 * commits one that holds them up only if all do; if none is up, one that is being opened. */
static unsigned choose(const struct writes *writes, struct write_queue *queue)
{
	const struct db_query *first = write_queue_first(queue);
	unsigned usual = usual_connection(writes, first);
	unsigned count = writes->pool.count;
	unsigned chosen = count;

	for (unsigned i = 0; i < count; i++) {
		unsigned index = i;

		if (usual)
			index = i + 1 < count ? 1 + (usual - 1 + i) % (count - 1) : 0;
		if (!connection_is_up(&writes->pool.connections[index]))
			continue;
		chosen = index;
		if (!shares_commit(writes, first) || !is_held_up(writes, index))
			break;
	}
	if (chosen < count)
		return chosen;
	return connection_is_asleep(&writes->pool.connections[usual]) ? 0 : usual;
}

static void block(struct writes *writes, struct write_queue *queue)
{
	writes->count -= queue->count;
	blocked_add_queue(&writes->blocked, queue);
}

/* Puts a write queue among the ready ones: writes wait in it, none is under way, and it is in no
 * queue. */
static void make_ready(struct writes *writes, struct write_queue *queue)
{
	if (queue->has_met_lock || blocked_wants(&writes->blocked, queue->account_id))
		block(writes, queue);
	else
		list_append(&writes->ready[choose(writes, queue)], &queue->turn);
	loop_later(writes->loop, &writes->wake);
}

/* Continues with a write queue of which a write is no longer under way. */
static void go_on(struct writes *writes, struct write_queue *queue)
{
	if (queue->under_way)
		return;
	if (queue->count)
		make_ready(writes, queue);
	else
		write_queue_destroy(&writes->queues, queue);
}

static void on_free(struct blocked *blocked, struct write_queue *queue)
{
	struct writes *writes = container_of(blocked, struct writes, blocked);

	writes->count += queue->count;
	make_ready(writes, queue);
}

/* ---- connections ---- */

static void on_answer(struct connection *connection, struct db_query *query,
		      const struct db_result *result)
{
	struct writes *writes = connection->owner;

	writes->count--;
	query->queue->under_way--;
	go_on(writes, query->queue);
	query->done(query, result);
}

/* Called for each query of a lost connection, in the order in which they were sent. */
static void on_return(struct connection *connection, struct db_query *query, bool may_repeat)
{
	struct writes *writes = connection->owner;
	struct write_queue *queue = query->queue;

	if (may_repeat) {
		write_queue_return(queue, query);
	} else {
		queue->under_way--;
		answer_unavailable(writes, query);
	}
	go_on(writes, queue);
}

/* Called for each query of the batch, in the order in which they were sent. */
static void on_locked(struct connection *connection, struct db_query *query, bool is_culprit)
{
	struct write_queue *queue = query->queue;

	if (is_culprit)
		queue->has_met_lock = true;
	write_queue_return(queue, query);
	go_on(connection->owner, queue);
}

/* Gives the write queues that are ready to the connections anew. */
static void on_up(struct connection *connection)
{
	struct writes *writes = connection->owner;
	struct list queues;
	struct list *turn;

	list_init(&queues);
	for (unsigned i = 0; i < writes->pool.count; i++)
		list_move_all(&queues, &writes->ready[i]);
	while ((turn = list_take_first(&queues)))
		make_ready(writes, write_queue_at(turn));
	on_demand_use(&writes->on_demand);
	loop_later(writes->loop, &writes->wake);
}

static void answer_lines_unavailable(struct writes *writes, struct list *queues)
{
	struct list *turn;

	while ((turn = list_take_first(queues))) {
		struct write_queue *queue = write_queue_at(turn);

		while (queue->count)
			answer_unavailable(writes, write_queue_take(queue));
		write_queue_destroy(&writes->queues, queue);
	}
}

static void on_down(struct connection *connection)
{
	struct writes *writes = connection->owner;
	struct list queues;
	struct list *turn;

	list_init(&queues);
	list_move_all(&queues, &writes->ready[connection->number]);
	if (!pool_is_up(&writes->pool) && !connection_is_hopeful(connection))
		answer_lines_unavailable(writes, &queues);
	while ((turn = list_take_first(&queues)))
		make_ready(writes, write_queue_at(turn));
}

/* ---- batches ---- */

/* Takes writes from the front of a write queue for a batch, which has count writes already. The
 * write queue waits until they are answered. Returns the new count. */
static unsigned take_writes(const struct writes *writes, struct write_queue *queue, bool shared,
			    struct list *batch, unsigned count)
{
	struct db_query *query;

	list_remove(&queue->turn);
	while ((query = write_queue_first(queue)) && shares_commit(writes, query) == shared) {
		list_append(batch, &write_queue_take(queue)->node);
		queue->under_way++;
		count++;
		if (!shared || count == PIPELINE_SHARED_WRITES)
			break;
	}
	return count;
}

/* Answers those writes of a batch that became stale while they waited. Returns how many are left.
 */
static unsigned drop_stale(struct writes *writes, struct list *batch, unsigned count)
{
	list_for_each (node, batch) {
		struct db_query *query = container_of(node, struct db_query, node);
		struct write_queue *queue = query->queue;

		if (!write_is_stale(query, loop_now_ms(writes->loop)))
			continue;
		list_remove(&query->node);
		count--;
		writes->count--;
		queue->under_way--;
		go_on(writes, queue);
		late_answer(writes->late, query, DB_STALE);
	}
	return count;
}

/* Whether the shared writes that wait first fill a batch. Waiting longer, for the end of the one
 * under way, would not let more of them share a commit, and a distant database takes its time. */
static bool fills_batch(const struct writes *writes, struct list *ready)
{
	unsigned count = 0;

	list_for_each (node, ready) {
		struct write_queue *queue = write_queue_at(node);

		if (!shares_commit(writes, write_queue_first(queue)))
			return false;
		count += queue->count;
		if (count >= PIPELINE_SHARED_WRITES)
			return true;
	}
	return false;
}

/* Whether shared writes wait: for a single write, or to share the next commit. */
static bool waits(struct writes *writes, unsigned index)
{
	unsigned batches = writes->pool.connections[index].pipeline.batch_count;

	return is_held_up(writes, index) || batches >= SHARED_BATCHES ||
	       (batches > 0 && !fills_batch(writes, &writes->ready[index]));
}

/* Sends one batch. Returns 0, 1 if nothing can be sent, or -EIO. */
static int send_batch(struct writes *writes, unsigned index)
{
	struct pipeline *pipeline = &writes->pool.connections[index].pipeline;
	struct list *ready = &writes->ready[index];
	unsigned count = 0;
	struct list batch;
	bool shared;

	if (list_is_empty(ready) || pipeline->batch_count >= PIPELINE_WRITES)
		return 1;
	shared = shares_commit(writes, write_queue_first(write_queue_at(ready->next)));
	if (shared && waits(writes, index))
		return 1;
	writes->shares[index] = shared;
	list_init(&batch);
	do
		count = take_writes(writes, write_queue_at(ready->next), shared, &batch, count);
	while (shared && count < PIPELINE_SHARED_WRITES && !list_is_empty(ready) &&
	       shares_commit(writes, write_queue_first(write_queue_at(ready->next))));
	count = drop_stale(writes, &batch, count);
	return count ? pipeline_send(pipeline, &batch, count) : 0;
}

/* Whether several batches are under way, or writes wait for a single write, or single ones for
 * others. */
static bool is_crowded(const struct writes *writes)
{
	unsigned batches = 0;

	for (unsigned i = 0; i < writes->pool.count; i++) {
		const struct list *ready = &writes->ready[i];

		batches += writes->pool.connections[i].pipeline.batch_count;
		if (list_is_empty(ready))
			continue;
		batches += is_held_up(writes, i) ||
			   !shares_commit(writes, write_queue_first(write_queue_at(ready->next)));
	}
	return batches > 1;
}

/* Whether crowded turns repeat. Writes that timers begin in the same turn crowd it for a turn or
 * two: that is over before a new connection is up, which would then be unused. */
static bool is_crowd_lasting(struct writes *writes)
{
	uint64_t now_ms = loop_now_ms(writes->loop);

	if (now_ms - writes->crowd_ms > CROWD_MS) {
		writes->crowd_ms = now_ms;
		writes->crowded_turns = 0;
	}
	return ++writes->crowded_turns >= CROWDED_TURNS;
}

void writes_flush(struct writes *writes)
{
	bool sends = false;

	pool_send_again(&writes->pool);
	for (unsigned i = 0; i < writes->pool.count; i++) {
		struct connection *connection = &writes->pool.connections[i];
		int sent = 0;

		if (list_is_empty(&writes->ready[i]) || !connection_is_up(connection))
			continue;
		while (sent == 0)
			sent = send_batch(writes, i);
		connection_flush(connection, sent < 0 ? sent : 0);
		sends = true;
	}
	if (sends && is_crowded(writes) && is_crowd_lasting(writes))
		on_demand_need(&writes->on_demand);
	blocked_flush(&writes->blocked);
}

void writes_add(struct writes *writes, struct db_query *query)
{
	struct write_queue *queue = write_queue_of(&writes->queues, query);

	if (queue->is_blocked) {
		blocked_add(&writes->blocked, queue, query);
		return;
	}
	if (!query->is_asked_again)
		query->since_ms = loop_now_ms(writes->loop);
	write_queue_append(queue, query);
	writes->count++;
	if (!list_is_linked(&queue->turn) && queue->under_way == 0)
		make_ready(writes, queue);
}

unsigned writes_count(const struct writes *writes)
{
	return writes->count + writes->blocked.count;
}

/* ---- beginning and end ---- */

void writes_start(struct writes *writes, const struct connection *connection, unsigned count,
		  uint64_t idle_ms, struct late *late)
{
	static const struct connection_role role = {
	    .name = "write",
	    .metric = METRIC_DATABASE_WRITE,
	    .first = "SELECT set_config('lock_timeout', '20', false)",
	    .answer_ms = ANSWER_MS,
	    .on_answer = on_answer,
	    .on_return = on_return,
	    .on_locked = on_locked,
	    .on_up = on_up,
	    .on_down = on_down,
	};
	struct connection usual = *connection;

	writes->loop = connection->loop;
	writes->statements = connection->statements;
	writes->late = writes->blocked.late = late;
	writes->blocked.queues = &writes->queues;
	writes->blocked.on_free = on_free;
	loop_later_init(&writes->wake, on_wake);
	for (unsigned i = 0; i < POOL_MAX; i++)
		list_init(&writes->ready[i]);
	usual.owner = writes;
	on_demand_init(&writes->on_demand, writes->loop, idle_ms);
	pool_start(&writes->pool, &usual, &role, count, &writes->on_demand);
	blocked_start(&writes->blocked, connection, idle_ms);
}

void writes_close(struct writes *writes)
{
	on_demand_finish(&writes->on_demand);
	pool_close(&writes->pool);
	for (unsigned i = 0; i < writes->pool.count; i++)
		answer_lines_unavailable(writes, &writes->ready[i]);
	blocked_close(&writes->blocked);
	require(writes->count == 0);
}

void writes_finish(struct writes *writes)
{
	write_queues_finish(&writes->queues);
	loop_later_cancel(&writes->wake);
	blocked_finish(&writes->blocked);
}

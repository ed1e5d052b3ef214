#include "reads.h"
#include "base/require.h"

enum {
	BATCH_MAX = 256, /* maximum of reads that share a sync; others wait for the next */
	ANSWER_MS = 10 * 1000,
};

static void on_wake(struct later *later)
{
	(void)later; /* the end of the turn does the work */
}

static void answer_unavailable(struct reads *reads, struct db_query *query)
{
	reads->count--;
	late_answer(reads->late, query, DB_UNAVAILABLE);
}

static void answer_all_unavailable(struct reads *reads, struct list *queries)
{
	struct list *node;

	while ((node = list_take_first(queries)))
		answer_unavailable(reads, container_of(node, struct db_query, node));
}

static void on_answer(struct connection *connection, struct db_query *query,
		      const struct db_result *result)
{
	struct reads *reads = connection->owner;

	reads->count--;
	query->done(query, result);
}

/* Called for each query of a lost connection, in the order in which they were sent. */
static void on_return(struct connection *connection, struct db_query *query, bool may_repeat)
{
	struct reads *reads = connection->owner;

	if (may_repeat)
		list_append(&reads->returned, &query->node);
	else
		answer_unavailable(reads, query);
}

static void on_up(struct connection *connection)
{
	struct reads *reads = connection->owner;

	loop_later(reads->loop, &reads->wake);
}

static void on_down(struct connection *connection)
{
	struct reads *reads = connection->owner;

	if (pool_is_hopeless(&reads->pool)) {
		answer_all_unavailable(reads, &reads->returned);
		answer_all_unavailable(reads, &reads->waiting);
	}
	loop_later(reads->loop, &reads->wake);
}

static struct connection *choose(struct reads *reads)
{
	struct connection *best = NULL;

	for (unsigned i = 0; i < reads->pool.count; i++) {
		struct connection *connection = &reads->pool.connections[i];
		unsigned count = connection->pipeline.batch_count;

		if (connection_is_up(connection) && count < PIPELINE_READ_BATCHES &&
		    (!best || count < best->pipeline.batch_count))
			best = connection;
	}
	return best;
}

void reads_flush(struct reads *reads)
{
	struct connection *connection;

	pool_send_again(&reads->pool);
	list_move_all(&reads->returned, &reads->waiting);
	list_move_all(&reads->waiting, &reads->returned);
	while (!list_is_empty(&reads->waiting) && (connection = choose(reads))) {
		int error = pipeline_send(&connection->pipeline, &reads->waiting, BATCH_MAX);

		connection_flush(connection, error);
	}
}

void reads_add(struct reads *reads, struct db_query *query)
{
	reads->count++;
	list_append(&reads->waiting, &query->node);
	loop_later(reads->loop, &reads->wake);
}

void reads_start(struct reads *reads, const struct connection *connection, unsigned count,
		 struct late *late)
{
	static const struct connection_role role = {
	    .name = "read",
	    .metric = METRIC_DATABASE_READ,
	    .answer_ms = ANSWER_MS,
	    .on_answer = on_answer,
	    .on_return = on_return,
	    .on_up = on_up,
	    .on_down = on_down,
	};
	struct connection usual = *connection;

	reads->loop = connection->loop;
	reads->late = late;
	list_init(&reads->waiting);
	list_init(&reads->returned);
	loop_later_init(&reads->wake, on_wake);
	usual.owner = reads;
	pool_start(&reads->pool, &usual, &role, count, NULL);
}

void reads_close(struct reads *reads)
{
	pool_close(&reads->pool);
	answer_all_unavailable(reads, &reads->returned);
	answer_all_unavailable(reads, &reads->waiting);
	require(reads->count == 0);
}

void reads_finish(struct reads *reads)
{
	loop_later_cancel(&reads->wake);
}

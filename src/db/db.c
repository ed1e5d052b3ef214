#include "db/db.h"
#include "base/limits.h"
#include "base/require.h"
#include "connection.h"
#include "hint.h"
#include "listings.h"
#include "resolve.h"

#include <stdlib.h>

enum {
	CONNECTIONS_MAX = 4,
	BATCH_MAX = 256, /* the most reads that share a sync; others wait for the next */
	ANSWER_MS = 10 * 1000,
};

/* Connections of one role. */
struct pool {
	struct connection connections[CONNECTIONS_MAX];
	unsigned count;
};

/* A query is in one place at a time:
 *
 *   waiting_reads, waiting_writes[i]   until a connection takes it
 *   a connection's pipeline            under way
 *   away                               to be answered DB_AWAY by away_later */
struct db {
	struct loop *loop;
	struct db_settings settings;
	char *url;
	struct pool reads;
	struct pool writes;
	struct listings listings;
	struct hints hints;
	struct list waiting_reads;
	struct list returned_reads; /* from a lost connection: sent before the others */
	struct list waiting_writes[CONNECTIONS_MAX];
	unsigned outstanding; /* waiting or under way */
	struct list away;
	struct later away_later;
	struct later wake; /* keeps the loop from sleeping before the end of the turn */
	struct turn_end turn_end;
	uv_prepare_t *alive; /* keeps the loop running while all connections rest */

	bool closing;
	void (*closed)(void *context);
	void *closed_context;
	struct later closed_later;
	struct deadline close_deadline;
};

static const struct statement_entry *statement_of(const struct db *db, const struct db_query *query)
{
	return &db->settings.statements[query->statement];
}

static bool is_read(const struct db *db, const struct db_query *query)
{
	return statement_of(db, query)->effect == EFFECT_READ;
}

static unsigned pool_count_up(const struct pool *pool)
{
	unsigned count = 0;

	for (unsigned i = 0; i < pool->count; i++)
		count += connection_is_up(&pool->connections[i]);
	return count;
}

static bool pool_is_up(const struct pool *pool)
{
	return pool_count_up(pool) > 0;
}

static bool pool_is_hopeful(const struct pool *pool)
{
	for (unsigned i = 0; i < pool->count; i++) {
		if (connection_is_hopeful(&pool->connections[i]))
			return true;
	}
	return false;
}

static void answer_away(struct db *db, struct db_query *query)
{
	list_append(&db->away, &query->node);
	loop_later(db->loop, &db->away_later);
}

static void answer_all_away(struct db *db, struct list *queries)
{
	struct list *node;

	while ((node = list_take_first(queries))) {
		db->outstanding--;
		answer_away(db, container_of(node, struct db_query, node));
	}
}

static void on_away(struct later *later)
{
	struct db *db = container_of(later, struct db, away_later);
	static const struct db_result away = {.outcome = DB_AWAY};
	struct list queries;
	struct list *node;

	list_init(&queries);
	list_move_all(&queries, &db->away);
	while ((node = list_take_first(&queries))) {
		struct db_query *query = container_of(node, struct db_query, node);

		query->done(query, &away);
	}
}

static void on_wake(struct later *later)
{
	(void)later; /* the end of the turn does the work */
}

static void on_answer(struct connection *connection, struct db_query *query,
		      const struct db_result *result)
{
	struct db *db = connection->owner;

	db->outstanding--;
	query->done(query, result);
}

/* The connection of the query's first parameter while that is up, else the next that is. */
static unsigned choose_write(const struct db *db, const struct db_query *query)
{
	const struct db_parameters *parameters = &query->parameters;
	unsigned count = db->writes.count;
	unsigned own = 0;

	if (count > 1 && parameters->count && parameters->values[0])
		own = db_parameters_hash(parameters) % count;
	for (unsigned i = 0; i < count; i++) {
		unsigned index = (own + i) % count;

		if (connection_is_up(&db->writes.connections[index]))
			return index;
	}
	return own;
}

static void enqueue(struct db *db, struct db_query *query)
{
	if (is_read(db, query))
		list_append(&db->waiting_reads, &query->node);
	else
		list_append(&db->waiting_writes[choose_write(db, query)], &query->node);
	loop_later(db->loop, &db->wake);
}

/* Called for each query of a lost connection, in the order in which they were sent. */
static void on_return(struct connection *connection, struct db_query *query, bool may_repeat)
{
	struct db *db = connection->owner;

	if (may_repeat && is_read(db, query)) {
		list_append(&db->returned_reads, &query->node);
	} else if (may_repeat) {
		enqueue(db, query);
	} else {
		db->outstanding--;
		answer_away(db, query);
	}
}

static void on_up(struct connection *connection)
{
	struct db *db = connection->owner;

	loop_later(db->loop, &db->wake);
}

static void on_read_down(struct connection *connection)
{
	struct db *db = connection->owner;

	if (!pool_is_up(&db->reads) && !pool_is_hopeful(&db->reads)) {
		answer_all_away(db, &db->returned_reads);
		answer_all_away(db, &db->waiting_reads);
	}
	loop_later(db->loop, &db->wake);
}

static void on_write_down(struct connection *connection)
{
	struct db *db = connection->owner;
	struct list *waiting = &db->waiting_writes[connection->number];
	struct list queries;
	struct list *node;

	list_init(&queries);
	list_move_all(&queries, waiting);
	if (!pool_is_up(&db->writes) && !connection_is_hopeful(connection))
		answer_all_away(db, &queries);
	while ((node = list_take_first(&queries)))
		enqueue(db, container_of(node, struct db_query, node));
}

static struct connection *choose_read(struct db *db)
{
	struct connection *best = NULL;

	for (unsigned i = 0; i < db->reads.count; i++) {
		struct connection *connection = &db->reads.connections[i];
		unsigned count = connection->pipeline.batch_count;

		if (connection_is_up(connection) && count < PIPELINE_READ_BATCHES &&
		    (!best || count < best->pipeline.batch_count))
			best = connection;
	}
	return best;
}

static void send_again(struct pool *pool)
{
	for (unsigned i = 0; i < pool->count; i++) {
		struct connection *connection = &pool->connections[i];

		if (connection_is_up(connection) && !list_is_empty(&connection->pipeline.again))
			connection_flush(connection, pipeline_send_again(&connection->pipeline));
	}
}

static void send_reads(struct db *db)
{
	struct connection *connection;

	list_move_all(&db->returned_reads, &db->waiting_reads);
	list_move_all(&db->waiting_reads, &db->returned_reads);
	while (!list_is_empty(&db->waiting_reads) && (connection = choose_read(db))) {
		int error = pipeline_send(&connection->pipeline, &db->waiting_reads, BATCH_MAX);

		connection_flush(connection, error);
	}
}

/* How many writes at the front of a list may share a commit; 0: the first one shares none. */
static unsigned count_shared(const struct db *db, const struct list *waiting)
{
	unsigned count = 0;

	for (struct list *node = waiting->next; node != waiting; node = node->next) {
		const struct db_query *query = container_of(node, struct db_query, node);

		if (!statement_of(db, query)->shares_commit || !query->parameters.values[0] ||
		    count == PIPELINE_SHARED_WRITES)
			break;
		count++;
	}
	return count;
}

static void send_writes(struct db *db, unsigned index)
{
	struct connection *connection = &db->writes.connections[index];
	struct list *waiting = &db->waiting_writes[index];
	struct pipeline *pipeline = &connection->pipeline;
	int error = 0;

	if (list_is_empty(waiting) || !connection_is_up(connection))
		return;
	while (!error && !list_is_empty(waiting) && pipeline->batch_count < PIPELINE_WRITES) {
		unsigned shared = count_shared(db, waiting);

		/* Writes that come while these batches are under way will share a commit. */
		if (shared && pipeline->batch_count >= PIPELINE_SHARED_BATCHES)
			break;
		error = pipeline_send(pipeline, waiting, shared ? shared : 1);
	}
	connection_flush(connection, error);
}

static void on_prepare(uv_prepare_t *prepare)
{
	(void)prepare;
}

static void free_handle(uv_handle_t *handle)
{
	free(handle);
}

static void close_all(struct db *db)
{
	uv_close((uv_handle_t *)db->alive, free_handle);
	for (unsigned i = 0; i < db->reads.count; i++)
		connection_close(&db->reads.connections[i]);
	for (unsigned i = 0; i < db->writes.count; i++)
		connection_close(&db->writes.connections[i]);
	listings_close(&db->listings);
	hints_close(&db->hints);
	answer_all_away(db, &db->returned_reads);
	answer_all_away(db, &db->waiting_reads);
	for (unsigned i = 0; i < db->writes.count; i++)
		answer_all_away(db, &db->waiting_writes[i]);
	require(db->outstanding == 0);
	deadline_clear(db->loop, &db->close_deadline);
	turn_end_remove(&db->turn_end);
	/* on_closed() runs behind away_later, in this turn or a later one. */
	loop_later(db->loop, &db->closed_later);
}

static void on_closed(struct later *later)
{
	struct db *db = container_of(later, struct db, closed_later);

	if (!list_is_empty(&db->away) || !listings_are_idle(&db->listings)) {
		loop_later(db->loop, &db->closed_later);
		return;
	}
	db->closed(db->closed_context);
}

static void on_close_deadline(struct deadline *deadline)
{
	close_all(container_of(deadline, struct db, close_deadline));
}

static void on_turn_end(struct turn_end *turn_end)
{
	struct db *db = container_of(turn_end, struct db, turn_end);

	send_again(&db->reads);
	send_again(&db->writes);
	send_reads(db);
	for (unsigned i = 0; i < db->writes.count; i++)
		send_writes(db, i);
	listings_flush(&db->listings);
	hints_flush(&db->hints);
	if (db->closing && db->outstanding == 0 && listings_are_idle(&db->listings) &&
	    hints_are_idle(&db->hints))
		close_all(db);
}

void db_submit(struct db *db, struct db_query *query)
{
	require((unsigned)query->statement < db->settings.statement_count);
	require(!statement_of(db, query)->is_for_ctl);
	require(query->parameters.count == statement_of(db, query)->parameter_count);
	list_init(&query->node);
	query->conflicts = query->moves = 0;
	query->gathers = query->by_rows = query->has_rows = false;
	if (db->closing || db->outstanding >= LIMIT_DB_QUEUE ||
	    !pool_is_up(is_read(db, query) ? &db->reads : &db->writes)) {
		answer_away(db, query);
		return;
	}
	db->outstanding++;
	enqueue(db, query);
}

bool db_list(struct db *db, struct db_listing *listing)
{
	require(is_read(db, &listing->query));
	return listings_add(&db->listings, listing);
}

bool db_is_up(const struct db *db)
{
	return pool_is_up(&db->reads) && pool_is_up(&db->writes);
}

bool db_keeps_order_of_reads(const struct db *db)
{
	return db->reads.count == 1;
}

bool db_hints_are_up(const struct db *db)
{
	return db->hints.up;
}

unsigned db_connections_up(const struct db *db)
{
	return pool_count_up(&db->reads) + pool_count_up(&db->writes) +
	       listings_count_up(&db->listings) + db->hints.up;
}

void db_subscribe(struct db *db, struct hint_subscription *subscription)
{
	list_append(&db->hints.subscriptions, &subscription->node);
}

void db_unsubscribe(struct hint_subscription *subscription)
{
	list_remove(&subscription->node);
}

void db_hint(struct db *db, struct str word)
{
	hints_add(&db->hints, word);
	loop_later(db->loop, &db->wake);
}

static struct connection new_connection(struct db *db, enum statement_effect effect)
{
	return (struct connection){
	    .loop = db->loop,
	    .owner = db,
	    .url = db->url,
	    .statements = db->settings.statements,
	    .statement_count = db->settings.statement_count,
	    .effect = effect,
	};
}

static void start_pool(struct db *db, struct pool *pool, unsigned count,
		       const struct connection_role *role, enum statement_effect effect)
{
	require(count >= 1 && count <= CONNECTIONS_MAX);
	pool->count = count;
	for (unsigned i = 0; i < count; i++) {
		pool->connections[i] = new_connection(db, effect);
		pool->connections[i].role = role;
		pool->connections[i].number = i;
		connection_start(&pool->connections[i]);
	}
}

static void init_lists(struct db *db)
{
	list_init(&db->waiting_reads);
	list_init(&db->returned_reads);
	list_init(&db->away);
	for (unsigned i = 0; i < CONNECTIONS_MAX; i++)
		list_init(&db->waiting_writes[i]);
	loop_later_init(&db->away_later, on_away);
	loop_later_init(&db->wake, on_wake);
	loop_later_init(&db->closed_later, on_closed);
	deadline_init(&db->close_deadline, on_close_deadline);
	db->turn_end.run = on_turn_end;
	turn_end_add(db->loop, &db->turn_end);
}

struct db *db_create(struct loop *loop, const struct db_settings *settings)
{
	static const struct connection_role read = {
	    .name = "read",
	    .answer_ms = ANSWER_MS,
	    .on_answer = on_answer,
	    .on_return = on_return,
	    .on_up = on_up,
	    .on_down = on_read_down,
	};
	static const struct connection_role write = {
	    .name = "write",
	    .answer_ms = ANSWER_MS,
	    .on_answer = on_answer,
	    .on_return = on_return,
	    .on_up = on_up,
	    .on_down = on_write_down,
	};
	struct connection list;
	struct db *db;

	if (!resolve_url_is_valid(settings->url))
		return NULL;
	db = memory_zalloc(sizeof(*db));
	db->loop = loop;
	db->settings = *settings;
	db->settings.url = db->url = memory_strdup(settings->url);
	if (!settings->statements) {
		db->settings.statements = statements;
		db->settings.statement_count = STATEMENT_COUNT;
	}
	init_lists(db);
	db->alive = memory_alloc(sizeof(*db->alive));
	uv_prepare_init(&loop->uv, db->alive);
	uv_prepare_start(db->alive, on_prepare);
	start_pool(db, &db->reads, settings->read_connections, &read, EFFECT_READ);
	start_pool(db, &db->writes, settings->write_connections, &write, EFFECT_WRITE);
	list = new_connection(db, EFFECT_READ);
	listings_start(&db->listings, &list);
	hints_start(&db->hints, loop, db->url);
	return db;
}

void db_close(struct db *db, uint64_t timeout_ms, void (*closed)(void *context), void *context)
{
	require(!db->closing);
	db->closing = true;
	db->closed = closed;
	db->closed_context = context;
	deadline_set(db->loop, &db->close_deadline, timeout_ms);
	loop_later(db->loop, &db->wake);
}

void db_destroy(struct db *db)
{
	loop_later_cancel(&db->wake);
	loop_later_cancel(&db->away_later);
	free(db->url);
	free(db);
}

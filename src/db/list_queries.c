#include "list_queries.h"
#include "base/limits.h"
#include "base/require.h"
#include "db/result.h"

/* Interval between two checks for an overdue query. */
enum { LOOK_MS = 500 };

_Static_assert((int)LIST_CONNECTIONS + (int)GROWING_CONNECTIONS <= (int)BACKGROUND_PROCESSES,
	       "each process has its slot");

static struct db_query *query_of(struct list *node)
{
	return container_of(node, struct db_query, node);
}

static struct db_list_query *list_query_of(struct db_query *query)
{
	return container_of(query, struct db_list_query, query);
}

static void note_connection(struct db_query *query, struct connection *connection)
{
	if (query->by_rows)
		list_query_of(query)->connection = connection;
}

static struct list_connection *list_connection_of(struct connection *connection)
{
	return container_of(connection, struct list_connection, connection);
}

/* ---- answers ---- */

static void answer(struct list_queries *lists, struct db_query *query, enum db_outcome outcome)
{
	note_connection(query, NULL);
	late_answer(&lists->late, query, outcome);
}

static void on_wake(struct later *later)
{
	(void)later; /* list_queries_flush() follows */
}

static void answer_waiting_unavailable(struct list_queries *lists)
{
	struct list *node;

	while ((node = list_take_first(&lists->waiting))) {
		lists->waiting_count--;
		answer(lists, query_of(node), DB_UNAVAILABLE);
	}
}

/* ---- connections ---- */

static void on_row(struct connection *connection, struct db_query *query,
		   const struct db_result *row)
{
	struct db_list_query *list_query = list_query_of(query);

	(void)connection;
	list_query->on_row(list_query, row);
}

/* libpq may return several rows in one result. */
static void give_rows(struct connection *connection, struct db_query *query,
		      const struct db_result *result)
{
	for (unsigned row = 0; result->outcome == DB_OK && row < result->row_count; row++) {
		struct db_result single = *result;

		single.first_row += row;
		single.row_count = 1;
		on_row(connection, query, &single);
	}
}

static void on_answer(struct connection *connection, struct db_query *query,
		      const struct db_result *result)
{
	struct list_connection *list_connection = list_connection_of(connection);
	struct list_queries *lists = connection->owner;
	const struct db_result end = {.outcome = result->outcome,
				      .constraint_error = result->constraint_error};

	if (query->by_rows)
		give_rows(connection, query, result);
	note_connection(query, NULL);
	list_connection->query = NULL;
	loop_later_cancel(&list_connection->resume);
	connection->pipeline.paused = false;
	loop_later(lists->loop, &lists->wake);
	query->done(query, query->by_rows ? &end : result);
}

static void wait_for_turn(struct list_queries *lists, struct db_query *query)
{
	note_connection(query, NULL);
	list_append(&lists->waiting, &query->node);
	lists->waiting_count++;
	if (!deadline_is_set(&lists->overdue))
		deadline_set(lists->loop, &lists->overdue, LOOK_MS);
	loop_later(lists->loop, &lists->wake);
}

static void on_return(struct connection *connection, struct db_query *query, bool may_repeat)
{
	struct list_connection *list_connection = list_connection_of(connection);
	struct list_queries *lists = connection->owner;

	list_connection->query = NULL;
	/* The caller has seen rows of a lost snapshot, so the query cannot be repeated. */
	if (may_repeat && !query->has_rows)
		wait_for_turn(lists, query);
	else
		answer(lists, query, DB_UNAVAILABLE);
}

static void on_up(struct connection *connection)
{
	struct list_queries *lists = connection->owner;

	background_note(lists->background, connection->number, PQbackendPID(connection->pg));
	on_demand_use(&lists->on_demand);
	loop_later(lists->loop, &lists->wake);
}

static void on_down(struct connection *connection)
{
	struct list_queries *lists = connection->owner;

	background_note(lists->background, connection->number, 0);
	if (on_demand_is_hopeless(&lists->on_demand))
		answer_waiting_unavailable(lists);
}

static void on_resume(struct later *later)
{
	struct list_connection *list_connection =
	    container_of(later, struct list_connection, resume);

	connection_resume(&list_connection->connection);
}

void db_list_query_pause(struct db_list_query *list_query)
{
	if (list_query->connection)
		connection_pause(list_query->connection);
}

void db_list_query_resume(struct db_list_query *list_query)
{
	struct connection *connection = list_query->connection;

	if (connection)
		loop_later(connection->loop, &list_connection_of(connection)->resume);
}

/* ---- turns ---- */

static bool is_under_way(const struct list_queries *lists, struct id account_id)
{
	for (unsigned i = 0; i < lists->count; i++) {
		const struct db_query *query = lists->connections[i].query;

		if (query && id_equal(query->account_id, account_id))
			return true;
	}
	return false;
}

static void take_out(struct list_queries *lists, struct db_query *query, enum db_outcome outcome)
{
	list_remove(&query->node);
	lists->waiting_count--;
	answer(lists, query, outcome);
}

static void drop_unwanted(struct list_queries *lists)
{
	for (struct list *node = lists->waiting.next; node != &lists->waiting;) {
		struct db_query *query = query_of(node);

		node = node->next;
		if (query->is_wanted && !query->is_wanted(query))
			take_out(lists, query, DB_UNAVAILABLE);
	}
}

/* Takes the first query whose account has none under way, and moves that account's others behind
 * those of other accounts. */
static struct db_query *take_next(struct list_queries *lists)
{
	struct db_query *next = NULL;
	struct list others;

	drop_unwanted(lists);
	list_init(&others);
	for (struct list *node = lists->waiting.next; node != &lists->waiting;) {
		struct db_query *query = query_of(node);

		node = node->next;
		if (!next && !is_under_way(lists, query->account_id)) {
			next = query;
			list_remove(&query->node);
		} else if (next && id_equal(query->account_id, next->account_id)) {
			list_remove(&query->node);
			list_append(&others, &query->node);
		}
	}
	list_move_all(&lists->waiting, &others);
	if (next)
		lists->waiting_count--;
	return next;
}

static bool is_free(const struct list_connection *list_connection)
{
	const struct connection *connection = &list_connection->connection;

	return connection_is_up(connection) && !list_connection->query &&
	       connection->pipeline.batch_count == 0;
}

/* Whether a query waits only for a connection. */
static bool could_begin(const struct list_queries *lists)
{
	list_for_each (node, &lists->waiting) {
		if (!is_under_way(lists, query_of(node)->account_id))
			return true;
	}
	return false;
}

void list_queries_flush(struct list_queries *lists)
{
	for (unsigned i = 0; i < lists->count; i++) {
		struct list_connection *list_connection = &lists->connections[i];
		struct connection *connection = &list_connection->connection;
		struct db_query *next;
		struct list queries;

		if (connection_is_up(connection) && !list_is_empty(&connection->pipeline.again)) {
			connection_flush(connection, pipeline_send_again(&connection->pipeline));
			continue;
		}
		if (!is_free(list_connection) || !(next = take_next(lists)))
			continue;
		list_connection->query = next;
		note_connection(next, connection);
		next->since_ms = loop_now_ms(lists->loop);
		list_init(&queries);
		list_append(&queries, &next->node);
		connection_flush(connection, pipeline_send(&connection->pipeline, &queries, 1));
		on_demand_use(&lists->on_demand);
	}
	if (could_begin(lists))
		on_demand_need(&lists->on_demand);
}

/* Whether a query waits for the connection of this one, which is under way. */
static bool is_awaited(const struct list_queries *lists, const struct db_query *query)
{
	list_for_each (node, &lists->waiting) {
		struct id waiting = query_of(node)->account_id;

		if (id_equal(waiting, query->account_id) || !is_under_way(lists, waiting))
			return true;
	}
	return false;
}

/* Only the reader of a list query can be slow. Other queries end by the usual statement_timeout. */
static bool has_had_its_time(const struct list_queries *lists, const struct db_query *query)
{
	uint64_t limit_ms = is_awaited(lists, query) ? lists->turn_ms : lists->longest_ms;

	return query->by_rows && loop_now_ms(lists->loop) - query->since_ms >= limit_ms;
}

/* Ends queries that have waited too long, or that keep a connection for too long. */
static void on_overdue(struct deadline *deadline)
{
	struct list_queries *lists = container_of(deadline, struct list_queries, overdue);
	uint64_t now_ms = loop_now_ms(lists->loop);
	struct list_connection *oldest = NULL;

	/* Cut only the oldest overdue list query: one free connection may be enough. */
	for (unsigned i = 0; i < lists->count; i++) {
		struct list_connection *one = &lists->connections[i];

		if (one->query && has_had_its_time(lists, one->query) &&
		    (!oldest || one->query->since_ms < oldest->query->since_ms))
			oldest = one;
	}
	if (oldest)
		connection_cut(&oldest->connection, STR("the client reads the list too slowly"));
	for (struct list *node = lists->waiting.next; node != &lists->waiting;) {
		struct db_query *query = query_of(node);

		node = node->next;
		if (now_ms - query->since_ms >= LIMIT_LIST_WAIT_MS)
			take_out(lists, query, DB_OVERDUE);
	}
	if (!list_queries_are_idle(lists))
		deadline_set(lists->loop, &lists->overdue, LOOK_MS);
}

bool list_queries_add(struct list_queries *lists, struct db_query *query, bool is_unavailable)
{
	unsigned same = 0;

	drop_unwanted(lists);
	list_for_each (node, &lists->waiting)
		same += id_equal(query_of(node)->account_id, query->account_id);
	if (same >= LIMIT_LISTS_OF_ACCOUNT || lists->waiting_count >= LIMIT_LISTS)
		return false;
	query->since_ms = loop_now_ms(lists->loop);
	if (lists->closed || is_unavailable || on_demand_is_hopeless(&lists->on_demand))
		answer(lists, query, DB_UNAVAILABLE);
	else
		wait_for_turn(lists, query);
	return true;
}

bool list_queries_are_idle(const struct list_queries *lists)
{
	for (unsigned i = 0; i < lists->count; i++) {
		if (lists->connections[i].query)
			return false;
	}
	return list_is_empty(&lists->waiting) && late_is_idle(&lists->late);
}

unsigned list_queries_count_sent(const struct list_queries *lists)
{
	unsigned count = 0;

	for (unsigned i = 0; i < lists->count; i++)
		count += lists->connections[i].query != NULL;
	return count;
}

unsigned list_queries_count_up(const struct list_queries *lists)
{
	unsigned count = 0;

	for (unsigned i = 0; i < lists->count; i++)
		count += connection_is_up(&lists->connections[i].connection);
	return count;
}

const char list_queries_first[] = "SELECT set_config('statement_timeout', '90000', false)";
const char list_queries_apart_first[] = "SELECT set_config('statement_timeout', '600000', false)";

void list_queries_start(struct list_queries *lists, const struct connection *connection,
			unsigned count, const char *first, uint64_t idle_ms,
			struct background *background)
{
	lists->role = (struct connection_role){
	    .name = "list",
	    .metric = METRIC_DATABASE_LIST,
	    .first = first,
	    .answer_ms = connection->is_apart ? LIMIT_APART_MS : 10 * 1000,
	    .on_row = on_row,
	    .on_answer = on_answer,
	    .on_return = on_return,
	    .on_up = on_up,
	    .on_down = on_down,
	};

	require(count <= LIST_QUERY_CONNECTIONS_MAX);
	lists->turn_ms = connection->is_apart ? LIMIT_APART_MS : LIMIT_LIST_TURN_MS;
	lists->longest_ms = connection->is_apart ? LIMIT_APART_MS : LIMIT_LIST_MS;
	lists->count = count;
	lists->loop = connection->loop;
	lists->background = background;
	list_init(&lists->waiting);
	late_init(&lists->late, lists->loop);
	loop_later_init(&lists->wake, on_wake);
	deadline_init(&lists->overdue, on_overdue);
	on_demand_init(&lists->on_demand, lists->loop, idle_ms);
	for (unsigned i = 0; i < lists->count; i++) {
		struct list_connection *list_connection = &lists->connections[i];

		list_connection->connection = *connection;
		list_connection->connection.role = &lists->role;
		list_connection->connection.owner = lists;
		list_connection->connection.number = connection->number + i;
		loop_later_init(&list_connection->resume, on_resume);
		on_demand_add(&lists->on_demand, &list_connection->connection);
	}
}

void list_queries_close(struct list_queries *lists)
{
	lists->closed = true;
	on_demand_finish(&lists->on_demand);
	for (unsigned i = 0; i < lists->count; i++) {
		connection_close(&lists->connections[i].connection);
		loop_later_cancel(&lists->connections[i].resume);
	}
	answer_waiting_unavailable(lists);
	deadline_clear(lists->loop, &lists->overdue);
}

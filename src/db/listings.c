#include "listings.h"
#include "base/limits.h"
#include "base/require.h"
#include "db/result.h"

/* Interval between two looks for an overdue query. */
enum { LOOK_MS = 500 };

_Static_assert((int)LIST_CONNECTIONS + (int)GROWING_CONNECTIONS <= (int)BACKGROUND_PROCESSES,
	       "each process has its place");

static struct db_query *query_of(struct list *node)
{
	return container_of(node, struct db_query, node);
}

static struct db_listing *listing_of(struct db_query *query)
{
	return container_of(query, struct db_listing, query);
}

static void note_connection(struct db_query *query, struct connection *connection)
{
	if (query->by_rows)
		listing_of(query)->connection = connection;
}

static struct list_connection *list_connection_of(struct connection *connection)
{
	return container_of(connection, struct list_connection, connection);
}

/* ---- answers ---- */

static void answer(struct listings *listings, struct db_query *query, enum db_outcome outcome)
{
	note_connection(query, NULL);
	late_answer(&listings->late, query, outcome);
}

static void on_wake(struct later *later)
{
	(void)later; /* listings_flush() follows */
}

static void answer_waiting_away(struct listings *listings)
{
	struct list *node;

	while ((node = list_take_first(&listings->waiting))) {
		listings->waiting_count--;
		answer(listings, query_of(node), DB_AWAY);
	}
}

/* ---- connections ---- */

static void on_row(struct connection *connection, struct db_query *query,
		   const struct db_result *row)
{
	struct db_listing *listing = listing_of(query);

	(void)connection;
	listing->on_row(listing, row);
}

/* libpq may give the rows as one result. */
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
	struct listings *listings = connection->owner;
	const struct db_result end = {.outcome = result->outcome, .refusal = result->refusal};

	if (query->by_rows)
		give_rows(connection, query, result);
	note_connection(query, NULL);
	list_connection->query = NULL;
	loop_later_cancel(&list_connection->resume);
	connection->pipeline.paused = false;
	loop_later(listings->loop, &listings->wake);
	query->done(query, query->by_rows ? &end : result);
}

static void wait_for_turn(struct listings *listings, struct db_query *query)
{
	note_connection(query, NULL);
	list_append(&listings->waiting, &query->node);
	listings->waiting_count++;
	if (!deadline_is_set(&listings->overdue))
		deadline_set(listings->loop, &listings->overdue, LOOK_MS);
	loop_later(listings->loop, &listings->wake);
}

static void on_return(struct connection *connection, struct db_query *query, bool may_repeat)
{
	struct list_connection *list_connection = list_connection_of(connection);
	struct listings *listings = connection->owner;

	list_connection->query = NULL;
	/* The caller has seen rows of a snapshot that is gone. */
	if (may_repeat && !query->has_rows)
		wait_for_turn(listings, query);
	else
		answer(listings, query, DB_AWAY);
}

static void on_up(struct connection *connection)
{
	struct listings *listings = connection->owner;

	background_note(listings->background, connection->number, PQbackendPID(connection->pg));
	spares_use(&listings->spares);
	loop_later(listings->loop, &listings->wake);
}

static void on_down(struct connection *connection)
{
	struct listings *listings = connection->owner;

	background_note(listings->background, connection->number, 0);
	if (spares_are_hopeless(&listings->spares))
		answer_waiting_away(listings);
}

static void on_resume(struct later *later)
{
	struct list_connection *list_connection =
	    container_of(later, struct list_connection, resume);

	connection_resume(&list_connection->connection);
}

void db_listing_pause(struct db_listing *listing)
{
	if (listing->connection)
		connection_pause(listing->connection);
}

void db_listing_resume(struct db_listing *listing)
{
	struct connection *connection = listing->connection;

	if (connection)
		loop_later(connection->loop, &list_connection_of(connection)->resume);
}

/* ---- turns ---- */

static bool is_under_way(const struct listings *listings, struct id account_id)
{
	for (unsigned i = 0; i < listings->count; i++) {
		const struct db_query *query = listings->connections[i].query;

		if (query && id_equal(query->account_id, account_id))
			return true;
	}
	return false;
}

static void take_out(struct listings *listings, struct db_query *query, enum db_outcome outcome)
{
	list_remove(&query->node);
	listings->waiting_count--;
	answer(listings, query, outcome);
}

static void drop_unwanted(struct listings *listings)
{
	for (struct list *node = listings->waiting.next; node != &listings->waiting;) {
		struct db_query *query = query_of(node);

		node = node->next;
		if (query->is_wanted && !query->is_wanted(query))
			take_out(listings, query, DB_AWAY);
	}
}

/* Takes the first query whose account has none under way, and lets that account's others wait
 * behind those of the other accounts. */
static struct db_query *take_next(struct listings *listings)
{
	struct db_query *next = NULL;
	struct list others;

	drop_unwanted(listings);
	list_init(&others);
	for (struct list *node = listings->waiting.next; node != &listings->waiting;) {
		struct db_query *query = query_of(node);

		node = node->next;
		if (!next && !is_under_way(listings, query->account_id)) {
			next = query;
			list_remove(&query->node);
		} else if (next && id_equal(query->account_id, next->account_id)) {
			list_remove(&query->node);
			list_append(&others, &query->node);
		}
	}
	list_move_all(&listings->waiting, &others);
	if (next)
		listings->waiting_count--;
	return next;
}

static bool is_free(const struct list_connection *list_connection)
{
	const struct connection *connection = &list_connection->connection;

	return connection_is_up(connection) && !list_connection->query &&
	       connection->pipeline.batch_count == 0;
}

/* Whether one waits for a connection only. */
static bool could_begin(const struct listings *listings)
{
	list_for_each (node, &listings->waiting) {
		if (!is_under_way(listings, query_of(node)->account_id))
			return true;
	}
	return false;
}

void listings_flush(struct listings *listings)
{
	for (unsigned i = 0; i < listings->count; i++) {
		struct list_connection *list_connection = &listings->connections[i];
		struct connection *connection = &list_connection->connection;
		struct db_query *next;
		struct list queries;

		if (connection_is_up(connection) && !list_is_empty(&connection->pipeline.again)) {
			connection_flush(connection, pipeline_send_again(&connection->pipeline));
			continue;
		}
		if (!is_free(list_connection) || !(next = take_next(listings)))
			continue;
		list_connection->query = next;
		note_connection(next, connection);
		next->since_ms = loop_now_ms(listings->loop);
		list_init(&queries);
		list_append(&queries, &next->node);
		connection_flush(connection, pipeline_send(&connection->pipeline, &queries, 1));
		spares_use(&listings->spares);
	}
	if (could_begin(listings))
		spares_need(&listings->spares);
}

/* Whether one waits that could take the place of this one, which is under way. */
static bool is_awaited(const struct listings *listings, const struct db_query *query)
{
	list_for_each (node, &listings->waiting) {
		struct id waiting = query_of(node)->account_id;

		if (id_equal(waiting, query->account_id) || !is_under_way(listings, waiting))
			return true;
	}
	return false;
}

/* Only the reader of a listing can be slow. Other queries end by the usual statement_timeout. */
static bool has_had_its_time(const struct listings *listings, const struct db_query *query)
{
	uint64_t limit_ms = is_awaited(listings, query) ? listings->turn_ms : listings->longest_ms;

	return query->by_rows && loop_now_ms(listings->loop) - query->since_ms >= limit_ms;
}

/* Ends those that have waited too long, and those that keep a connection for too long. */
static void on_overdue(struct deadline *deadline)
{
	struct listings *listings = container_of(deadline, struct listings, overdue);
	uint64_t now_ms = loop_now_ms(listings->loop);
	struct list_connection *oldest = NULL;

	/* Cut only the oldest overdue list query: one free connection may be enough. */
	for (unsigned i = 0; i < listings->count; i++) {
		struct list_connection *one = &listings->connections[i];

		if (one->query && has_had_its_time(listings, one->query) &&
		    (!oldest || one->query->since_ms < oldest->query->since_ms))
			oldest = one;
	}
	if (oldest)
		connection_cut(&oldest->connection, STR("the reader of a list is too slow"));
	for (struct list *node = listings->waiting.next; node != &listings->waiting;) {
		struct db_query *query = query_of(node);

		node = node->next;
		if (now_ms - query->since_ms >= LIMIT_LIST_WAIT_MS)
			take_out(listings, query, DB_OVERDUE);
	}
	if (!listings_are_idle(listings))
		deadline_set(listings->loop, &listings->overdue, LOOK_MS);
}

bool listings_add(struct listings *listings, struct db_query *query, bool is_away)
{
	unsigned same = 0;

	drop_unwanted(listings);
	list_for_each (node, &listings->waiting)
		same += id_equal(query_of(node)->account_id, query->account_id);
	if (same >= LIMIT_LISTS_OF_ACCOUNT || listings->waiting_count >= LIMIT_LISTS)
		return false;
	query->since_ms = loop_now_ms(listings->loop);
	if (listings->closed || is_away || spares_are_hopeless(&listings->spares))
		answer(listings, query, DB_AWAY);
	else
		wait_for_turn(listings, query);
	return true;
}

bool listings_are_idle(const struct listings *listings)
{
	for (unsigned i = 0; i < listings->count; i++) {
		if (listings->connections[i].query)
			return false;
	}
	return list_is_empty(&listings->waiting) && late_is_idle(&listings->late);
}

unsigned listings_count_sent(const struct listings *listings)
{
	unsigned count = 0;

	for (unsigned i = 0; i < listings->count; i++)
		count += listings->connections[i].query != NULL;
	return count;
}

unsigned listings_count_up(const struct listings *listings)
{
	unsigned count = 0;

	for (unsigned i = 0; i < listings->count; i++)
		count += connection_is_up(&listings->connections[i].connection);
	return count;
}

const char listings_first[] = "SELECT set_config('statement_timeout', '90000', false)";
const char listings_apart_first[] = "SELECT set_config('statement_timeout', '600000', false)";

void listings_start(struct listings *listings, const struct connection *connection, unsigned count,
		    const char *first, uint64_t idle_ms, struct background *background)
{
	listings->role = (struct connection_role){
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

	require(count <= LISTINGS_CONNECTIONS_MAX);
	listings->turn_ms = connection->is_apart ? LIMIT_APART_MS : LIMIT_LIST_TURN_MS;
	listings->longest_ms = connection->is_apart ? LIMIT_APART_MS : LIMIT_LIST_MS;
	listings->count = count;
	listings->loop = connection->loop;
	listings->background = background;
	list_init(&listings->waiting);
	late_init(&listings->late, listings->loop);
	loop_later_init(&listings->wake, on_wake);
	deadline_init(&listings->overdue, on_overdue);
	spares_init(&listings->spares, listings->loop, idle_ms);
	for (unsigned i = 0; i < listings->count; i++) {
		struct list_connection *list_connection = &listings->connections[i];

		list_connection->connection = *connection;
		list_connection->connection.role = &listings->role;
		list_connection->connection.owner = listings;
		list_connection->connection.number = connection->number + i;
		loop_later_init(&list_connection->resume, on_resume);
		spares_add(&listings->spares, &list_connection->connection);
	}
}

void listings_close(struct listings *listings)
{
	listings->closed = true;
	spares_finish(&listings->spares);
	for (unsigned i = 0; i < listings->count; i++) {
		connection_close(&listings->connections[i].connection);
		loop_later_cancel(&listings->connections[i].resume);
	}
	answer_waiting_away(listings);
	deadline_clear(listings->loop, &listings->overdue);
}

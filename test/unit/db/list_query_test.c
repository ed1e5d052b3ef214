/* List queries: rows one by one, pauses, and the accounts' turns. */
#include "base/limits.h"
#include "list_queries.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>

static int rows = 5000;

struct listed {
	struct db_list_query list_query;
	struct arena arena;
	unsigned row_count;
	unsigned pause_at; /* 0: never */
	bool is_unwanted;
	bool done;
	unsigned place; /* order of completion, from 1 */
	enum db_outcome outcome;
};

static void on_row(struct db_list_query *list_query, const struct db_result *row)
{
	struct listed *listed = container_of(list_query, struct listed, list_query);
	char text[40];
	struct record_value value = db_value(row, 0, 0);

	assert_int_equal(row->row_count, 1);
	listed->row_count++;
	snprintf(text, sizeof(text), "alone %d %u", rows, listed->row_count);
	assert_int_equal(value.length, strlen(text));
	assert_memory_equal(value.data, text, value.length);
	assert_false(listed->pause_at && listed->row_count > listed->pause_at);
	if (listed->row_count == listed->pause_at)
		db_list_query_pause(list_query);
}

static bool is_wanted(const struct db_query *query)
{
	return !container_of(query, struct listed, list_query.query)->is_unwanted;
}

static void on_done(struct db_query *query, const struct db_result *result)
{
	struct db_list_query *list_query = container_of(query, struct db_list_query, query);
	struct listed *listed = container_of(list_query, struct listed, list_query);

	assert_false(listed->done);
	assert_int_equal(result->row_count, 0);
	listed->done = true;
	listed->place = ++world.done_count;
	listed->outcome = result->outcome;
}

/* NULL: refused */
static struct listed *list(uint8_t account, unsigned pause_at)
{
	struct listed *listed = memory_zalloc(sizeof(*listed));
	struct db_query *query = &listed->list_query.query;

	listed->pause_at = pause_at;
	listed->list_query.on_row = on_row;
	query->is_wanted = is_wanted;
	query->account_id.bytes[0] = account;
	query->statement = (enum statement)TEST_STATEMENT_SERIES;
	query->done = on_done;
	db_parameters_init(&query->parameters, &listed->arena);
	db_add_int8(&query->parameters, rows);
	if (db_list(world.db, &listed->list_query))
		return listed;
	arena_finish(&listed->arena);
	free(listed);
	return NULL;
}

static void proceed(struct listed *listed)
{
	listed->pause_at = 0;
	db_list_query_resume(&listed->list_query);
}

static unsigned expect_all(struct listed *listed)
{
	unsigned place;

	turn_until(listed->done);
	assert_int_equal(listed->outcome, DB_OK);
	assert_int_equal(listed->row_count, rows);
	place = listed->place;
	arena_finish(&listed->arena);
	free(listed);
	return place;
}

TEST_IN(test_rows_come_one_by_one, open_usual, close_usual)
{
	for (int i = 0; i < 3; i++)
		expect_all(list(1, 0));
}

/* While a list query is paused, those of other accounts and all other queries continue. */
TEST_IN(test_pause, open_usual, close_usual)
{
	struct listed *paused = list(1, 7);
	struct listed *same, *other;
	struct asked *asked;

	turn_until(paused->row_count == 7);
	same = list(1, 0);
	other = list(2, 0);
	assert_int_equal(expect_all(other), 1);
	asked = ask_number(TEST_STATEMENT_ECHO, 42);
	wait_for(asked);
	assert_int_equal(asked->number, 42);
	forget(asked);
	assert_int_equal(paused->row_count, 7);
	assert_int_equal(same->row_count, 0);
	proceed(paused);
	assert_int_equal(expect_all(paused), 3);
	assert_int_equal(expect_all(same), 4);
}

/* An account with many list queries waits behind one with a single query. */
TEST_IN(test_turns, open_usual, close_usual)
{
	struct listed *first = list(1, 1), *second = list(2, 1);
	struct listed *often[4], *once;

	turn_until(first->row_count && second->row_count);
	for (unsigned i = 0; i < array_length(often); i++)
		often[i] = list(1, 0);
	once = list(3, 0);
	proceed(first);
	assert_int_equal(expect_all(first), 1);
	assert_int_equal(expect_all(often[0]), 2);
	assert_int_equal(expect_all(once), 3);
	for (unsigned i = 1; i < array_length(often); i++)
		assert_int_equal(expect_all(often[i]), 3 + i);
	proceed(second);
	expect_all(second);
}

TEST_IN(test_bound, open_usual, close_usual)
{
	struct listed *paused = list(1, 1);
	struct listed *waiting[LIMIT_LISTS_OF_ACCOUNT];

	turn_until(paused->row_count == 1);
	for (unsigned i = 0; i < array_length(waiting); i++) {
		waiting[i] = list(1, 0);
		assert_non_null(waiting[i]);
	}
	assert_null(list(1, 0));
	expect_all(list(2, 0));
	proceed(paused);
	expect_all(paused);
	for (unsigned i = 0; i < array_length(waiting); i++)
		expect_all(waiting[i]);
}

static void expect(struct listed *listed, enum db_outcome outcome, unsigned row_count)
{
	turn_until(listed->done);
	assert_int_equal(listed->outcome, outcome);
	assert_int_equal(listed->row_count, row_count);
	arena_finish(&listed->arena);
	free(listed);
}

static void expect_unavailable(struct listed *listed, unsigned row_count)
{
	expect(listed, DB_UNAVAILABLE, row_count);
}

/* A list query ends if the connection breaks, since rows of another snapshot must not follow.
 * Waiting ones are read once there is a connection again. */
TEST_IN(test_database_goes_away, open_usual, close_usual)
{
	struct listed *begun, *waiting;

	rows = 50 * 1000; /* more than the socket holds */
	begun = list(1, 5);
	turn_until(begun->row_count == 5);
	waiting = list(1, 0);
	run_sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
		" WHERE state = 'active' AND pid <> pg_backend_pid()");
	begun->pause_at = 0;
	db_list_query_resume(&begun->list_query);
	turn_until(begun->done);
	expect_unavailable(begun, begun->row_count);
	expect_all(waiting);
	rows = 5000;
}

/* An abandoned list takes no place, and is not read. */
TEST_IN(test_unwanted, open_usual, close_usual)
{
	struct listed *paused = list(1, 1);
	struct listed *waiting[LIMIT_LISTS_OF_ACCOUNT];
	struct listed *wanted;

	turn_until(paused->row_count == 1);
	for (unsigned i = 0; i < array_length(waiting); i++)
		waiting[i] = list(1, 0);
	assert_null(list(1, 0));
	for (unsigned i = 0; i < array_length(waiting); i++)
		waiting[i]->is_unwanted = true;
	wanted = list(1, 0);
	assert_non_null(wanted);
	for (unsigned i = 0; i < array_length(waiting); i++)
		expect_unavailable(waiting[i], 0);
	proceed(paused);
	expect_all(paused);
	expect_all(wanted);
}

/* Makes the list query older by this time. */
static void age(struct listed *listed, uint64_t ms)
{
	listed->list_query.query.since_ms -= ms;
}

/* A slow reader makes room for an account without list queries, and for its own account. */
TEST_IN(test_slow_reader_gives_way, open_usual, close_usual)
{
	struct listed *slow = list(1, 1), *other = list(2, 1);
	struct listed *waiting;

	turn_until(slow->row_count && other->row_count);
	age(slow, LIMIT_LIST_TURN_MS + 1);
	age(other, LIMIT_LIST_TURN_MS);
	waiting = list(3, 0);
	expect_unavailable(slow, 1);
	assert_false(other->done); /* one place is enough */
	other->list_query.query.since_ms += LIMIT_LIST_TURN_MS;
	expect_all(waiting);
	slow = list(1, 1);
	turn_until(slow->row_count);
	age(slow, LIMIT_LIST_TURN_MS);
	waiting = list(1, 0);
	expect_unavailable(slow, 1);
	expect_all(waiting);
	proceed(other);
	expect_all(other);
}

/* A slow list is not cut for queries that could not take its place: the other account's next list
 * queries wait for its first one in any case. */
TEST_IN(test_greedy_account_ends_no_other, open_usual, close_usual)
{
	struct listed *slow = list(1, 1), *greedy = list(2, 1);
	struct listed *waiting;

	turn_until(slow->row_count && greedy->row_count);
	age(slow, LIMIT_LIST_TURN_MS);
	waiting = list(2, 0);
	age(waiting, LIMIT_LIST_WAIT_MS);
	expect(waiting, DB_OVERDUE, 0); /* all were checked */
	proceed(slow);
	expect_all(slow);
	proceed(greedy);
	expect_all(greedy);
}

/* Idle servers have no connection for list queries. The first query opens one, another account's
 * the second, and both close after a while without queries. */
TEST(test_connections_come_and_go)
{
	struct db_settings settings = usual_settings();
	struct listed *first, *second;
	unsigned at_rest;

	settings.on_demand_idle_ms = 50;
	open_world(&settings);
	at_rest = db_connections_up(world.db);
	for (unsigned round = 0; round < 2; round++) {
		first = list(1, 1);
		turn_until(first->row_count == 1);
		assert_int_equal(db_connections_up(world.db), at_rest + 1);
		second = list(2, 1);
		turn_until(second->row_count == 1);
		assert_int_equal(db_connections_up(world.db), at_rest + 2);
		proceed(second);
		expect_all(second);
		turn_until(db_connections_up(world.db) == at_rest + 1);
		assert_false(first->done); /* its connection stays */
		proceed(first);
		expect_all(first);
		turn_until(db_connections_up(world.db) == at_rest);
	}
	close_world();
}

/* The connection for a list query cannot be opened. */
TEST(test_database_is_away)
{
	struct db_settings settings = usual_settings();

	settings.on_demand_idle_ms = 50;
	open_world(&settings);
	control("stop");
	expect_unavailable(list(1, 0), 0);
	expect_unavailable(list(1, 0), 0);
	control("start");
	turn_until(db_is_up(world.db));
	expect_all(list(1, 0));
	close_world();
}

/* ---- reads whose work grows ---- */

static struct asked *ask_growing(uint8_t account, double seconds)
{
	struct asked *asked = ask(TEST_STATEMENT_NAP_GROWING);

	asked->query.account_id.bytes[0] = account;
	db_add_float8(&asked->query.parameters, seconds);
	submit(asked);
	return asked;
}

static void expect_asked(struct asked *asked, enum db_outcome outcome, unsigned place)
{
	wait_for(asked);
	assert_int_equal(asked->outcome, outcome);
	if (place)
		assert_int_equal(asked->place, place);
	forget(asked);
}

static void expect_echo(unsigned place)
{
	expect_asked(ask_number(TEST_STATEMENT_ECHO, 42), DB_OK, place);
}

/* Other queries do not wait for such a read, which does not wait for slow readers; the accounts
 * take turns. */
TEST_IN(test_growing_read, open_usual, close_usual)
{
	struct listed *slow = list(1, 1), *slower = list(2, 1);
	struct asked *often[3], *once;

	turn_until(slow->row_count && slower->row_count);
	often[0] = ask_growing(1, 0.3);
	often[1] = ask_growing(1, 0);
	often[2] = ask_growing(1, 0);
	turn_until(somebody_sleeps());
	once = ask_growing(3, 0);
	expect_echo(1);
	expect_asked(often[0], DB_OK, 2);
	expect_asked(once, DB_OK, 4);
	expect_asked(often[1], DB_OK, 3);
	expect_asked(often[2], DB_OK, 5);
	proceed(slow);
	proceed(slower);
	expect_all(slow);
	expect_all(slower);
}

static bool nobody_wants(const struct db_query *query)
{
	(void)query;
	return false;
}

TEST_IN(test_growing_reads_are_bounded, open_usual, close_usual)
{
	struct asked *waiting[LIMIT_LISTS_OF_ACCOUNT], *first = ask_growing(1, 0.3);

	turn_until(somebody_sleeps());
	for (unsigned i = 0; i < array_length(waiting); i++)
		waiting[i] = ask_growing(1, 0);
	expect_asked(ask_growing(1, 0), DB_OVERDUE, 1);
	for (unsigned i = 0; i < array_length(waiting); i++)
		waiting[i]->query.is_wanted = nobody_wants;
	expect_asked(ask_growing(1, 0), DB_OK, 0);
	expect_asked(first, DB_OK, 0);
	for (unsigned i = 0; i < array_length(waiting); i++)
		expect_asked(waiting[i], DB_UNAVAILABLE, 0);
}

TEST(test_growing_reads_end_with_the_database)
{
	struct asked *begun, *waiting;

	open_world(NULL);
	begun = ask_growing(1, 5);
	waiting = ask_growing(1, 0);
	turn_until(somebody_sleeps());
	close_world_after(0);
	assert_true(begun->done && waiting->done);
	expect_asked(begun, DB_UNAVAILABLE, 0);
	expect_asked(waiting, DB_UNAVAILABLE, 0);
}

TEST(test_close)
{
	struct listed *begun, *waiting;

	open_world(NULL);
	begun = list(1, 5);
	waiting = list(1, 0);
	turn_until(begun->row_count == 5);
	close_world_after(0);
	assert_true(begun->done && waiting->done);
	expect_unavailable(begun, 5);
	expect_unavailable(waiting, 0);
}

RUN_TESTS(make_tables, NULL)

/* Writes that meet a locked row: which wait, in which order and for how long. */
#include "base/limits.h"
#include "blocked.h"
#include "pipeline.h"
#include "support.h"

#include <stdio.h>

/* A session that holds locks until a test ends it. */
static PGconn *holder;

static void hold(const char *sql)
{
	PGresult *result;

	if (!holder) {
		holder = PQconnectdb(usual_settings().url);
		PQclear(PQexec(holder, "BEGIN"));
	}
	result = PQexec(holder, sql);
	assert_int_equal(PQresultStatus(result), PGRES_TUPLES_OK);
	PQclear(result);
}

static void let_go(void)
{
	PQfinish(holder);
	holder = NULL;
}

static int open_with_items(void **state)
{
	(void)state;
	run_sql("DELETE FROM item;"
		"INSERT INTO item SELECT n, 'item-' || n FROM generate_series(1, 1500) AS n");
	open_world(NULL);
	return 0;
}

static int let_go_and_close(void **state)
{
	(void)state;
	if (holder)
		let_go();
	close_world();
	return 0;
}

static struct asked *rename_as(uint8_t account, int64_t id, const char *name)
{
	struct asked *asked = ask(TEST_STATEMENT_ITEM_RENAME);
	struct db_parameters *parameters = &asked->query.parameters;

	asked->query.account_id = (struct id){.bytes = {account}};
	db_add_int8(parameters, id);
	db_add_text(parameters, arena_copy(&asked->arena, str_from(name)));
	submit(asked);
	return asked;
}

static struct asked *rename_item(int64_t id, const char *name)
{
	return rename_as(1, id, name);
}

static void expect(struct asked *asked, enum db_outcome outcome)
{
	wait_for(asked);
	assert_int_equal(asked->outcome, outcome);
	forget(asked);
}

static void expect_name(int64_t id, const char *name)
{
	PGconn *pg = PQconnectdb(usual_settings().url);
	char sql[100];
	PGresult *result;

	snprintf(sql, sizeof(sql), "SELECT name FROM item WHERE id = %d", (int)id);
	result = PQexec(pg, sql);
	assert_string_equal(PQgetvalue(result, 0, 0), name);
	PQclear(result);
	PQfinish(pg);
}

#define SCENE(name) TEST_IN(name, open_with_items, let_go_and_close)

/* Other writes of the group commit finish while the row is locked; then this one does, too. */
SCENE(test_only_the_locked_one_waits)
{
	struct asked *others[8];
	struct asked *locked;

	hold("SELECT id FROM item WHERE id = 5 FOR UPDATE");
	for (int i = 0; i < 4; i++)
		others[i] = rename_as(2, 1 + i, (const char[]){(char)('a' + i), 0});
	locked = rename_item(5, "waits");
	for (int i = 4; i < 8; i++)
		others[i] = rename_as(2, 2 + i, (const char[]){(char)('a' + i), 0});
	for (int i = 0; i < 8; i++)
		expect(others[i], DB_OK);
	assert_false(locked->done);
	let_go();
	expect(locked, DB_OK);
	expect_name(5, "waits");
}

/* Writes to one row keep their order, whether they came before or after the lock, and in one
 * batch or in several. */
SCENE(test_order_of_a_row)
{
	enum { COUNT = 12 };
	struct asked *asked[COUNT];
	char name[20];

	hold("SELECT id FROM item WHERE id = 7 FOR UPDATE");
	for (int i = 0; i < COUNT; i++) {
		snprintf(name, sizeof(name), "order-%d", i);
		asked[i] = rename_item(7, name);
		if (i == 3)
			expect(rename_as(2, 8, "other"), DB_OK);
		if (i == 8)
			let_go();
	}
	for (int i = 0; i < COUNT; i++) {
		wait_for(asked[i]);
		assert_int_equal(asked[i]->outcome, DB_OK);
		assert_int_equal(asked[i]->place, i + 2);
		forget(asked[i]);
	}
	expect_name(7, "order-11");
}

/* A write that does not share a commit waits in the same way. */
SCENE(test_single_write)
{
	struct asked *locked = NULL;

	hold("SELECT id FROM item WHERE id = 1 FOR UPDATE");
	locked = ask(TEST_STATEMENT_TOUCH_PAIR);
	db_add_int8(&locked->query.parameters, 1);
	db_add_int8(&locked->query.parameters, 2);
	submit(locked);
	expect(rename_as(2, 9, "free"), DB_OK);
	assert_false(locked->done);
	let_go();
	expect(locked, DB_OK);
}

/* Writes to a row that stays locked are answered eventually. */
SCENE(test_locked_for_too_long)
{
	struct asked *first, *second;

	hold("SELECT id FROM item WHERE id IN (1, 2) FOR UPDATE");
	first = rename_item(1, "never");
	second = rename_item(1, "neither");
	expect(first, DB_BLOCKED);
	expect(second, DB_BLOCKED);
	let_go();
	expect_name(1, "item-1");
	expect(rename_item(1, "later"), DB_OK);
}

/* An account has its share of the places, and other accounts have theirs. */
SCENE(test_share_of_an_account)
{
	enum { MANY = 2 * LIMIT_BLOCKED_OF_ACCOUNT };
	struct asked *asked[MANY];
	struct asked *other;
	unsigned answered = 0;
	char name[20];

	hold("SELECT id FROM item WHERE id <= 300 FOR UPDATE");
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "share-%d", i);
		asked[i] = rename_item(1 + i, name);
	}
	turn_until(world.done_count >= MANY - LIMIT_BLOCKED_OF_ACCOUNT);
	/* The account has no place left; the other account has one. */
	expect(rename_item(299, "none"), DB_BLOCKED);
	other = rename_as(2, 300, "mine");
	expect(rename_as(3, 301, "free"), DB_OK);
	assert_false(other->done);
	let_go();
	expect(other, DB_OK);
	for (int i = 0; i < MANY; i++) {
		wait_for(asked[i]);
		answered += asked[i]->outcome == DB_OK;
		assert_true(asked[i]->outcome == DB_OK || asked[i]->outcome == DB_BLOCKED);
		forget(asked[i]);
	}
	assert_int_equal(answered, LIMIT_BLOCKED_OF_ACCOUNT);
}

/* All accounts together have a bounded number of places. */
SCENE(test_all_places)
{
	enum { ACCOUNTS = 12, EACH = 100, MANY = ACCOUNTS * EACH };
	struct asked *asked[MANY];
	char name[20];

	hold("SELECT id FROM item WHERE id <= 1300 FOR UPDATE");
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "all-%d", i);
		asked[i] = rename_as((uint8_t)(1 + i % ACCOUNTS), 1 + i, name);
	}
	turn_until(world.done_count >= MANY - LIMIT_BLOCKED);
	expect(rename_as(99, 1200, "none"), DB_BLOCKED);
	expect(rename_as(99, 1301, "free"), DB_OK);
	let_go();
	for (int i = 0; i < MANY; i++) {
		wait_for(asked[i]);
		assert_true(asked[i]->outcome == DB_OK || asked[i]->outcome == DB_BLOCKED);
		forget(asked[i]);
	}
}

/* Writes of an account with two locked rows wait for their turn, without delaying other commits,
 * and those of other rows finish. */
SCENE(test_account_with_several_locked_rows)
{
	struct asked *locked[3], *free_one;

	hold("SELECT id FROM item WHERE id <= 3 FOR UPDATE");
	for (int i = 0; i < 3; i++)
		locked[i] = rename_item(1 + i, (const char[]){(char)('x' + i), 0});
	free_one = rename_item(20, "free");
	expect(free_one, DB_OK);
	for (int i = 0; i < 3; i++)
		assert_false(locked[i]->done);
	let_go();
	for (int i = 0; i < 3; i++)
		expect(locked[i], DB_OK);
}

/* A constraint error on a retry connection belongs to that write alone. */
SCENE(test_refused_afterwards)
{
	struct asked *first, *second;

	hold("SELECT id FROM item WHERE id = 1 FOR UPDATE");
	first = rename_item(1, "item-2");
	second = rename_item(1, "good");
	expect(rename_as(2, 30, "free"), DB_OK);
	let_go();
	wait_for(first);
	assert_int_equal(first->constraint_error, TEST_CONSTRAINT_NAME_TAKEN);
	expect(first, DB_CONSTRAINT);
	expect(second, DB_OK);
}

/* Connections break while writes wait: those that certainly did not happen are repeated. */
SCENE(test_retry_connections_break)
{
	struct asked *first, *second;

	hold("SELECT id FROM item WHERE id = 1 FOR UPDATE");
	first = rename_item(1, "first");
	second = rename_item(1, "second");
	expect(rename_as(2, 30, "free"), DB_OK);
	run_sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
		" WHERE application_name = 'displayd' AND wait_event_type = 'Lock'");
	let_go();
	wait_for(first);
	assert_true(first->outcome == DB_OK || first->outcome == DB_UNAVAILABLE);
	forget(first);
	expect(second, DB_OK);
	expect_name(1, "second");
}

/* Idle servers have no connection for such writes. */
TEST(test_connections_come_and_go)
{
	struct db_settings settings = usual_settings();
	struct asked *locked;
	unsigned at_rest;

	settings.on_demand_idle_ms = 50;
	open_world(&settings);
	at_rest = db_connections_up(world.db);
	for (unsigned round = 0; round < 2; round++) {
		hold("SELECT id FROM item WHERE id = 1 FOR UPDATE");
		locked = rename_item(1, round ? "go" : "come");
		turn_until(db_connections_up(world.db) == at_rest + 1);
		let_go();
		expect(locked, DB_OK);
		turn_until(db_connections_up(world.db) == at_rest);
	}
	expect_name(1, "go");
	close_world();
}

TEST(test_closed_while_they_wait)
{
	struct asked *asked[3];

	open_with_items(NULL);
	hold("SELECT id FROM item WHERE id <= 3 FOR UPDATE");
	for (int i = 0; i < 3; i++)
		asked[i] = rename_item(1 + i, (const char[]){(char)('a' + i), 0});
	expect(rename_as(2, 30, "free"), DB_OK);
	close_world_after(0);
	for (int i = 0; i < 3; i++)
		expect(asked[i], DB_UNAVAILABLE);
	let_go();
}

RUN_TESTS(make_tables, NULL)

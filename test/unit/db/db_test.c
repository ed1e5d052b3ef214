/* Queries over working connections. */
#include "base/limits.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>

enum { MANY = 64 };

static int open_pools(void **state)
{
	struct db_settings settings = usual_settings();

	(void)state;
	settings.read_connections = 2;
	settings.write_connections = 3; /* two, and the one of writes that share a commit */
	open_world(&settings);
	return 0;
}

static void expect_number(struct asked *asked, int64_t number)
{
	wait_for(asked);
	assert_int_equal(asked->outcome, DB_OK);
	assert_int_equal(asked->row_count, 1);
	assert_int_equal(asked->number, number);
	forget(asked);
}

static void expect_outcome(struct asked *asked, enum db_outcome outcome)
{
	wait_for(asked);
	assert_int_equal(asked->outcome, outcome);
	assert_int_equal(asked->row_count, 0);
	forget(asked);
}

static void expect_refusal(struct asked *asked, enum test_constraint_error constraint_error)
{
	wait_for(asked);
	assert_int_equal(asked->constraint_error, constraint_error);
	expect_outcome(asked, DB_CONSTRAINT);
}

static void test_read(void **state)
{
	(void)state;
	expect_number(ask_number(TEST_STATEMENT_ECHO, 42), 42);
	expect_number(ask_number(TEST_STATEMENT_ECHO, -1), -1);
}

static struct asked *ask_plain(unsigned statement)
{
	struct asked *asked = ask(statement);

	submit(asked);
	return asked;
}

static void test_batch(void **state)
{
	struct asked *asked[MANY];

	(void)state;
	for (int i = 0; i < MANY; i++)
		asked[i] = ask_plain(TEST_STATEMENT_TRANSACTION);
	for (int i = 0; i < MANY; i++) {
		wait_for(asked[i]);
		assert_int_equal(asked[i]->outcome, DB_OK);
		assert_int_equal(asked[i]->number, asked[0]->number); /* one sync for all */
		assert_int_equal(asked[i]->place, i + 1);
	}
	for (int i = 0; i < MANY; i++)
		forget(asked[i]);
}

static void test_write_sync(void **state)
{
	struct asked *a = ask_plain(TEST_STATEMENT_TRANSACTION_WRITE);
	struct asked *b = ask_plain(TEST_STATEMENT_TRANSACTION_WRITE);

	(void)state;
	wait_for(a);
	wait_for(b);
	assert_true(a->number != b->number);
	assert_true(a->place < b->place);
	forget(a);
	forget(b);
}

static void test_culprit(void **state)
{
	struct asked *asked[MANY];

	(void)state;
	for (int i = 0; i < MANY; i++)
		asked[i] = ask_number(TEST_STATEMENT_DIVIDE, i == 31 ? 0 : i + 1);
	for (int i = 0; i < MANY; i++) {
		if (i == 31)
			expect_outcome(asked[i], DB_FAILED);
		else
			expect_number(asked[i], 100 / (i + 1));
	}
}

static void test_culprits(void **state)
{
	struct asked *asked[MANY];

	(void)state;
	for (int i = 0; i < MANY; i++)
		asked[i] = ask_number(i % 2 ? TEST_STATEMENT_DIVIDE_REFUSED : TEST_STATEMENT_DIVIDE,
				      i % 3 ? i : 0);
	for (int i = 0; i < MANY; i++) {
		if (i % 3)
			expect_number(asked[i], 100 / i);
		else if (i % 2)
			expect_refusal(asked[i], TEST_CONSTRAINT_DIVISION_BY_ZERO);
		else
			expect_outcome(asked[i], DB_FAILED);
	}
	expect_number(ask_number(TEST_STATEMENT_ECHO, 1), 1);
}

static struct asked *add_item(int64_t id, const char *name)
{
	struct asked *asked = ask(TEST_STATEMENT_ITEM_ADD);

	db_add_int8(&asked->query.parameters, id);
	db_add_text(&asked->query.parameters, arena_copy(&asked->arena, str_from(name)));
	submit(asked);
	return asked;
}

static void expect_items(const char *prefix, int64_t count)
{
	struct asked *asked = ask(TEST_STATEMENT_ITEM_COUNT);

	db_add_text(&asked->query.parameters, str_from(prefix));
	submit(asked);
	expect_number(asked, count);
}

static void test_write_alone(void **state)
{
	struct asked *asked[10];
	char name[20];

	(void)state;
	for (int i = 0; i < 10; i++) {
		snprintf(name, sizeof(name), "alone-%d", i == 4 ? 3 : i);
		asked[i] = add_item(100 + (i == 6 ? 5 : i), name);
	}
	for (int i = 0; i < 10; i++) {
		if (i == 4)
			expect_refusal(asked[i], TEST_CONSTRAINT_NAME_TAKEN);
		else if (i == 6) /* the primary key is not a constraint of the statement */
			expect_outcome(asked[i], DB_FAILED);
		else
			expect_number(asked[i], 100 + i);
	}
	expect_items("alone-", 8);
}

/* The server reports that the statement is complete, and only the sync fails. */
static void test_commit_refused(void **state)
{
	struct asked *asked[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		asked[i] = ask(TEST_STATEMENT_ITEM_ADD_CHILD);
		db_add_int8(&asked[i]->query.parameters, 200 + i);
		db_add_text(&asked[i]->query.parameters, i ? STR("child-1") : STR("child-0"));
		db_add_int8(&asked[i]->query.parameters, i ? 1 : 999999);
		submit(asked[i]);
	}
	expect_refusal(asked[0], TEST_CONSTRAINT_NO_PARENT);
	expect_number(asked[1], 201);
	expect_items("child-", 1);
}

static struct asked *ask_raise(const char *sqlstate)
{
	struct asked *asked = ask(TEST_STATEMENT_RAISE_WRITE);

	db_add_text(&asked->query.parameters, str_from(sqlstate));
	submit(asked);
	return asked;
}

static void test_sqlstates(void **state)
{
	(void)state;
	expect_outcome(ask_raise("40001"), DB_UNAVAILABLE);
	expect_outcome(ask_raise("40P01"), DB_UNAVAILABLE);
	expect_outcome(ask_raise("53200"), DB_UNAVAILABLE);
	expect_outcome(ask_raise("57P03"), DB_UNAVAILABLE);
	expect_outcome(ask_raise("57014"), DB_UNAVAILABLE);
	expect_outcome(ask_raise("XX000"), DB_FAILED);
	expect_outcome(ask_raise("42501"), DB_FAILED);
	expect_refusal(ask_raise("DD001"), TEST_CONSTRAINT_TOLD_SO);
}

static void test_large(void **state)
{
	enum { COUNT = 40, SIZE = 400 * 1000 };
	struct asked *asked[COUNT];
	char *piece = memory_alloc(SIZE);

	(void)state;
	memset(piece, 'x', SIZE);
	/* Much more than both sockets hold, in both directions at once. */
	for (int i = 0; i < COUNT; i++) {
		asked[i] = ask(TEST_STATEMENT_REPEAT);
		db_add_text(&asked[i]->query.parameters, (struct str){piece, SIZE});
		db_add_int4(&asked[i]->query.parameters, 3);
		submit(asked[i]);
	}
	for (int i = 0; i < COUNT; i++) {
		wait_for(asked[i]);
		assert_int_equal(asked[i]->outcome, DB_OK);
		assert_int_equal(asked[i]->length, 3 * SIZE);
		forget(asked[i]);
	}
	free(piece);
}

static void test_overflow(void **state)
{
	enum { COUNT = LIMIT_DB_QUEUE + 10 };
	struct asked **asked = memory_alloc(COUNT * sizeof(struct asked *));

	(void)state;
	for (int i = 0; i < COUNT; i++)
		asked[i] = ask_number(TEST_STATEMENT_ECHO, i);
	for (int i = 0; i < COUNT; i++) {
		if (i < LIMIT_DB_QUEUE)
			expect_number(asked[i], i);
		else
			expect_outcome(asked[i], DB_UNAVAILABLE);
	}
	expect_number(ask_number(TEST_STATEMENT_ECHO, 5), 5);
	free(asked);
}

static struct asked *follower;

static void ask_more(struct asked *asked)
{
	follower = ask_number(TEST_STATEMENT_ECHO, asked->number + 1);
}

static void test_ask_from_done(void **state)
{
	struct asked *asked = ask_number(TEST_STATEMENT_ECHO, 7);

	(void)state;
	asked->then = ask_more;
	expect_number(asked, 7);
	expect_number(follower, 8);
}

static void expect_setting(const char *name, const char *value)
{
	struct asked *asked = ask(TEST_STATEMENT_SETTING);

	db_add_text(&asked->query.parameters, str_from(name));
	submit(asked);
	wait_for(asked);
	assert_string_equal(asked->text, value);
	forget(asked);
}

static void test_settings(void **state)
{
	(void)state;
	expect_setting("application_name", "displayd");
	expect_setting("plan_cache_mode", "force_generic_plan");
	expect_setting("statement_timeout", "8s");
	expect_setting("client_encoding", "UTF8");
}

/* Checks a foreign server. */
static void test_commits_wait_for_the_disk_whatever_the_role_says(void **state)
{
	(void)state;
	run_sql("ALTER ROLE CURRENT_USER SET synchronous_commit = off");
	open_world(NULL);
	expect_setting("synchronous_commit", "on");
	close_world();
	run_sql("ALTER ROLE CURRENT_USER SET synchronous_commit = remote_apply");
	open_world(NULL);
	expect_setting("synchronous_commit", "remote_apply");
	close_world();
	run_sql("ALTER ROLE CURRENT_USER RESET synchronous_commit");
}

static int64_t backend_of(int64_t key)
{
	struct asked *asked = ask_number(TEST_STATEMENT_BACKEND_WRITE, key);
	int64_t pid;

	wait_for(asked);
	assert_int_equal(asked->outcome, DB_OK);
	pid = asked->number;
	forget(asked);
	return pid;
}

static void test_keys(void **state)
{
	int64_t first = backend_of(1);

	(void)state;
	for (int64_t key = 0; key < 20; key++)
		assert_int_equal(backend_of(key) == first, key % 2);
}

static void write_many(void)
{
	struct asked *asked[MANY];

	for (int i = 0; i < MANY; i++)
		asked[i] = ask_number(TEST_STATEMENT_BACKEND_WRITE, i);
	for (int i = 0; i < MANY; i++) {
		wait_for(asked[i]);
		assert_int_equal(asked[i]->outcome, DB_OK);
		forget(asked[i]);
	}
}

/* Sequential writes need one connection. Parallel ones open another, which closes after a while
 * without them; the writes of its keys continue on the first. */
static void test_write_connections_come_and_go(void **state)
{
	struct db_settings settings = usual_settings();
	unsigned at_rest;
	int64_t first;

	(void)state;
	settings.write_connections = 2;
	settings.on_demand_idle_ms = 200;
	open_world(&settings);
	at_rest = db_connections_up(world.db);
	first = backend_of(1);
	for (int64_t key = 0; key < 4; key++)
		assert_int_equal(backend_of(key), first);
	assert_int_equal(db_connections_up(world.db), at_rest);
	for (unsigned round = 0; round < 2; round++) {
		while (db_connections_up(world.db) == at_rest)
			write_many();
		turn_until(db_connections_up(world.db) == at_rest);
		assert_int_equal(backend_of(0), first);
		assert_int_equal(backend_of(1), first);
	}
	close_world();
}

/* Timers begin a few writes in the same turn, which end before another connection could open. */
static void test_a_few_writes_at_once_open_no_connection(void **state)
{
	struct db_settings settings = usual_settings();
	struct asked *one, *other;
	unsigned at_rest;
	int64_t first;

	(void)state;
	settings.write_connections = 2;
	settings.on_demand_idle_ms = 60 * 1000;
	open_world(&settings);
	at_rest = db_connections_up(world.db);
	first = backend_of(1);
	one = ask_number(TEST_STATEMENT_BACKEND_WRITE, 0);
	other = ask_number(TEST_STATEMENT_BACKEND_WRITE, 1);
	expect_number(one, first);
	expect_number(other, first);
	for (int64_t key = 0; key < 100; key++)
		assert_int_equal(backend_of(key), first);
	assert_int_equal(db_connections_up(world.db), at_rest);
	close_world();
}

static struct asked *touch_pair(int64_t first, int64_t second)
{
	struct asked *asked = ask(TEST_STATEMENT_TOUCH_PAIR);

	db_add_int8(&asked->query.parameters, first);
	db_add_int8(&asked->query.parameters, second);
	submit(asked);
	return asked;
}

static void test_deadlock(void **state)
{
	/* On two connections, selected by their first parameters. */
	struct asked *a = touch_pair(1, 2);
	struct asked *b = touch_pair(2, 1);

	(void)state;
	expect_number(a, true);
	expect_number(b, true);
}

static void test_order_of_a_key(void **state)
{
	struct asked *asked[MANY];

	(void)state;
	for (int i = 0; i < MANY; i++)
		asked[i] = ask_number(TEST_STATEMENT_BACKEND_WRITE, 3);
	for (int i = 0; i < MANY; i++) {
		wait_for(asked[i]);
		assert_int_equal(asked[i]->place, i + 1);
	}
	for (int i = 0; i < MANY; i++)
		forget(asked[i]);
}

static void add_all_types(struct db_parameters *p)
{
	static const struct id ids[2] = {{{1, 2, 3}}, {{0xff, 0xfe}}};
	static const int64_t numbers[3] = {INT64_MIN, 0, INT64_MAX};
	static const int64_t times[2] = {0, INT64_C(1234567890123456)};
	static const struct str texts[3] = {{"a,b", 3}, {NULL, 0}, {"\xc3\xa9", 2}};

	db_add_bool(p, true);
	db_add_int2(p, -2);
	db_add_int4(p, -70000);
	db_add_int8(p, INT64_C(-5000000000));
	db_add_float8(p, -1.5);
	db_add_text(p, STR("text"));
	db_add_bytes(p, (struct str){"\0\1\xff", 3});
	db_add_id(p, ids[0]);
	db_add_bytes(p, (struct str){"\1\2\3\4\5\6", 6});
	db_add_timestamp(p, INT64_C(1700000000123456));
	db_add_id_array(p, ids, 2);
	db_add_int8_array(p, numbers, 3);
	db_add_timestamp_array(p, times, 2);
	db_add_text_array(p, texts, 3);
	db_add_null(p);
}

/* Values return in the format in which they were sent, and PostgreSQL understands them. */
static void check_all_types(struct db_query *query, const struct db_result *result)
{
	struct asked *asked = container_of(query, struct asked, query);
	struct record_value words;

	assert_int_equal(result->outcome, DB_OK);
	assert_int_equal(result->column_count, 16);
	for (unsigned i = 0; i < 14; i++) {
		struct record_value value = db_value(result, 0, i);

		assert_int_equal(value.length, query->parameters.lengths[i]);
		assert_memory_equal(value.data, query->parameters.values[i], value.length);
	}
	assert_true(db_value(result, 0, 14).is_null);
	words = db_value(result, 0, 15);
	snprintf(asked->text, sizeof(asked->text), "%.*s", (int)words.length, words.data);
	asked->length = words.length;
	asked->done = true;
}

static void test_types(void **state)
{
	static const char expected[] =
	    "t|-2|-70000|-5000000000|-1.5|text|\\x0001ff|01020300-0000-0000-0000-000000000000|"
	    "01:02:03:04:05:06|2023-11-14 22:13:20.123456+00|{01020300-0000-0000-0000-00000000000";
	struct asked *asked = ask(TEST_STATEMENT_TYPES);
	struct asked *empty = ask(TEST_STATEMENT_TYPES);

	(void)state;
	add_all_types(&asked->query.parameters);
	asked->query.done = check_all_types;
	submit(asked);
	wait_for(asked);
	assert_memory_equal(asked->text, expected, sizeof(expected) - 1);
	forget(asked);

	for (int i = 0; i < 10; i++)
		db_add_null(&empty->query.parameters);
	db_add_id_array(&empty->query.parameters, NULL, 0);
	db_add_int8_array(&empty->query.parameters, NULL, 0);
	db_add_timestamp_array(&empty->query.parameters, NULL, 0);
	db_add_text_array(&empty->query.parameters, NULL, 0);
	db_add_text(&empty->query.parameters, (struct str){NULL, 0});
	submit(empty);
	wait_for(empty);
	assert_int_equal(empty->outcome, DB_OK);
	forget(empty);
}

static void test_before_it_is_up(void **state)
{
	struct db_settings settings = usual_settings();
	struct asked *read;
	struct asked *write;

	(void)state;
	world = (struct world){0};
	assert_int_equal(loop_init(&world.loop), 0);
	world.db = db_create(&world.loop, &settings);
	assert_false(db_is_up(world.db));
	read = ask_number(TEST_STATEMENT_ECHO, 1);
	write = ask_number(TEST_STATEMENT_BACKEND_WRITE, 1);
	expect_outcome(read, DB_UNAVAILABLE);
	expect_outcome(write, DB_UNAVAILABLE);
	close_world();
}

static void on_closed(void *context)
{
	*(bool *)context = true;
}

static void test_close_waits(void **state)
{
	struct asked *read;
	struct asked *write;
	struct asked *late;
	bool closed = false;

	(void)state;
	open_world(NULL);
	read = ask(TEST_STATEMENT_NAP);
	db_add_float8(&read->query.parameters, 0.2);
	submit(read);
	write = add_item(300, "closing");
	db_close(world.db, 60000, on_closed, &closed);
	late = ask_number(TEST_STATEMENT_ECHO, 1);
	turn_until(closed);
	assert_true(read->done && write->done && late->done);
	assert_int_equal(read->outcome, DB_OK);
	assert_int_equal(write->outcome, DB_OK);
	assert_int_equal(late->outcome, DB_UNAVAILABLE);
	forget(read);
	forget(write);
	forget(late);
	db_destroy(world.db);
	loop_finish(&world.loop);
}

static void test_close_at_once(void **state)
{
	struct asked *asked;
	bool closed = false;

	(void)state;
	open_world(NULL);
	asked = ask(TEST_STATEMENT_NAP);
	db_add_float8(&asked->query.parameters, 7);
	submit(asked);
	uv_run(&world.loop.uv, UV_RUN_ONCE);
	db_close(world.db, 0, on_closed, &closed);
	turn_until(closed);
	assert_true(asked->done);
	assert_int_equal(asked->outcome, DB_UNAVAILABLE);
	forget(asked);
	db_destroy(world.db);
	loop_finish(&world.loop);
	run_sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
		" WHERE query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()");
}

static void test_bad_url(void **state)
{
	struct db_settings settings = usual_settings();

	(void)state;
	assert_int_equal(loop_init(&world.loop), 0);
	settings.url = "postgresql://user:secret@/%zz";
	assert_null(db_create(&world.loop, &settings));
	settings.url = "no such thing";
	assert_null(db_create(&world.loop, &settings));
	loop_finish(&world.loop);
}

#define USUAL(test) cmocka_unit_test_setup_teardown(test, open_usual, close_usual)
#define POOLS(test) cmocka_unit_test_setup_teardown(test, open_pools, close_usual)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    USUAL(test_read),
	    USUAL(test_batch),
	    USUAL(test_write_sync),
	    USUAL(test_culprit),
	    USUAL(test_culprits),
	    POOLS(test_culprits),
	    USUAL(test_write_alone),
	    USUAL(test_commit_refused),
	    POOLS(test_deadlock),
	    USUAL(test_sqlstates),
	    USUAL(test_large),
	    POOLS(test_large),
	    USUAL(test_overflow),
	    USUAL(test_ask_from_done),
	    USUAL(test_settings),
	    cmocka_unit_test(test_commits_wait_for_the_disk_whatever_the_role_says),
	    POOLS(test_keys),
	    cmocka_unit_test(test_write_connections_come_and_go),
	    cmocka_unit_test(test_a_few_writes_at_once_open_no_connection),
	    POOLS(test_order_of_a_key),
	    USUAL(test_types),
	    cmocka_unit_test(test_before_it_is_up),
	    cmocka_unit_test(test_close_waits),
	    cmocka_unit_test(test_close_at_once),
	    cmocka_unit_test(test_bad_url),
	};

	return cmocka_run_group_tests(tests, make_tables, NULL);
}

/* A database that breaks, hangs, becomes unavailable, returns or has changed. */
#include "../leap.h"
#include "base/log.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int open_pools(void **state)
{
	struct db_settings settings = usual_settings();

	(void)state;
	settings.read_connections = 2;
	settings.write_connections = 2;
	open_world(&settings);
	return 0;
}

static int64_t must_give(struct asked *asked)
{
	int64_t number;

	wait_for(asked);
	assert_int_equal(asked->outcome, DB_OK);
	number = asked->number;
	forget(asked);
	return number;
}

static struct asked *nap(unsigned statement, double seconds)
{
	struct asked *asked = ask(statement);

	db_add_float8(&asked->query.parameters, seconds);
	submit(asked);
	return asked;
}

static int64_t read_backend(void)
{
	struct asked *asked = ask(TEST_STATEMENT_BACKEND);
	submit(asked);
	return must_give(asked);
}

static int64_t write_backend(void)
{
	return must_give(ask_number(TEST_STATEMENT_BACKEND_WRITE, 1));
}

static void terminate(int64_t pid)
{
	char sql[100];

	snprintf(sql, sizeof(sql), "SELECT pg_terminate_backend(%lld)", (long long)pid);
	run_sql(sql);
}

/* Waits until the server runs pg_sleep(). */
static void wait_until_asleep(void)
{
	do
		uv_run(&world.loop.uv, UV_RUN_NOWAIT);
	while (!somebody_sleeps());
}

/* Reads that were under way when the connection broke run again on the next one, in order. */
static void test_reads_move(void **state)
{
	enum { COUNT = 20 };
	int64_t pid = read_backend();
	struct asked *asked[COUNT];

	(void)state;
	for (int i = 0; i < COUNT; i++)
		asked[i] =
		    i == 10 ? nap(TEST_STATEMENT_NAP, 0.5) : ask_number(TEST_STATEMENT_ECHO, i);
	wait_until_asleep();
	terminate(pid);
	for (int i = 0; i < COUNT; i++) {
		wait_for(asked[i]);
		assert_int_equal(asked[i]->outcome, DB_OK);
		assert_int_equal(asked[i]->place, i + 2);
		if (i != 10)
			assert_int_equal(asked[i]->number, i);
		forget(asked[i]);
	}
	assert_int_not_equal(read_backend(), pid);
}

/* A read that breaks every connection is not repeated for ever. */
static void test_read_moves_once(void **state)
{
	struct asked *asked;

	(void)state;
	read_backend();
	asked = nap(TEST_STATEMENT_NAP, 7);
	for (int i = 0; i < 2; i++) {
		wait_until_asleep();
		run_sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
			"WHERE wait_event = 'PgSleep'");
		/* Sessions that have ended are no longer listed as asleep. */
		run_sql("SELECT pg_sleep(0.05)");
	}
	must_be(asked, DB_UNAVAILABLE);
	turn_until(db_is_up(world.db));
}

static void test_write_is_not_repeated(void **state)
{
	int64_t pid = write_backend();
	struct asked *asleep = nap(TEST_STATEMENT_NAP_WRITE, 5);
	struct asked *behind = ask_number(TEST_STATEMENT_BACKEND_WRITE, 1);

	(void)state;
	wait_until_asleep();
	terminate(pid);
	must_be(asleep, DB_UNAVAILABLE);
	must_be(behind, DB_UNAVAILABLE);
	turn_until(db_is_up(world.db));
	assert_int_not_equal(write_backend(), pid);
}

/* If the database works again at once, queries that arrived meanwhile succeed, whether or not its
 * connections had been used. */
static void test_queries_wait_for_connections_that_return(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		run_sql("SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity "
			"WHERE datname = current_database() AND pid <> pg_backend_pid()");
		turn_until(!db_is_up(world.db));
		assert_int_not_equal(write_backend(), read_backend());
	}
}

/* The database counts as available while another connection of the pool works. */
static void test_pool_goes_on(void **state)
{
	int64_t pid = read_backend();
	struct asked *asleep = nap(TEST_STATEMENT_NAP, 0.5);

	(void)state;
	wait_until_asleep();
	terminate(pid);
	for (int i = 0; i < 50; i++)
		must_give(ask_number(TEST_STATEMENT_ECHO, i));
	must_be(asleep, DB_OK);
	pid = write_backend();
	terminate(pid);
	turn_until(db_is_up(world.db));
	for (int i = 0; i < 20; i++) {
		struct asked *asked = ask_number(TEST_STATEMENT_BACKEND_WRITE, i);

		wait_for(asked); /* the query that finds out may be unavailable */
		forget(asked);
	}
	for (int i = 0; i < 20; i++)
		must_give(ask_number(TEST_STATEMENT_BACKEND_WRITE, i));
}

static void test_killed(void **state)
{
	struct asked *read;
	struct asked *write;

	(void)state;
	read_backend();
	write_backend();
	read = nap(TEST_STATEMENT_NAP, 7);
	write = nap(TEST_STATEMENT_NAP_WRITE, 7);
	wait_until_asleep();
	control("kill");
	must_be(read, DB_UNAVAILABLE);
	must_be(write, DB_UNAVAILABLE);
	turn_until(!db_is_up(world.db) && !db_hints_are_up(world.db));
	must_be(ask_number(TEST_STATEMENT_ECHO, 1), DB_UNAVAILABLE);
	must_be(ask_number(TEST_STATEMENT_BACKEND_WRITE, 1), DB_UNAVAILABLE);
	db_hint(world.db, STR("nobody"));
	control("start");
	turn_until(db_is_up(world.db) && db_hints_are_up(world.db));
	must_give(ask_number(TEST_STATEMENT_ECHO, 1));
	must_give(ask_number(TEST_STATEMENT_BACKEND_WRITE, 1));
	assert_int_equal(world.down_count, 1);
	assert_int_equal(world.up_count, 2);
}

static void test_restarted(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		read_backend();
		write_backend();
		control("restart");
		turn_until(!db_is_up(world.db));
		turn_until(db_is_up(world.db) && db_hints_are_up(world.db));
	}
	read_backend();
	write_backend();
}

/* The connection stands without any answer: the deadline breaks it. */
static void test_silent(void **state)
{
	struct asked *read;
	struct asked *write;

	(void)state;
	read_backend();
	write_backend();
	control("pause");
	read = ask_number(TEST_STATEMENT_ECHO, 1);
	write = ask_number(TEST_STATEMENT_BACKEND_WRITE, 1);
	must_be(read, DB_UNAVAILABLE);
	must_be(write, DB_UNAVAILABLE);
	must_be(ask_number(TEST_STATEMENT_ECHO, 1), DB_UNAVAILABLE);
	control("resume");
	turn_until(db_is_up(world.db) && db_hints_are_up(world.db));
	must_give(ask_number(TEST_STATEMENT_ECHO, 1));
}

/* If this process was stopped, not the server, answers that arrived meanwhile are valid. */
static void test_silence_was_ours(void **state)
{
	struct asked *asked;

	(void)state;
	asked = ask_number(TEST_STATEMENT_ECHO, 3);
	uv_run(&world.loop.uv, UV_RUN_NOWAIT);
	/* The server has written the answer, and waits for the next request. */
	while (!finds("SELECT FROM pg_stat_activity WHERE wait_event || query ~ '^Cl.* AS value$'"))
		continue;
	leap_s += 11;
	assert_int_equal(must_give(asked), 3);
	assert_true(db_is_up(world.db));
}

static void test_statement_timeout(void **state)
{
	struct asked *slow;

	(void)state;
	slow = nap(TEST_STATEMENT_NAP, 60);
	must_be(slow, DB_UNAVAILABLE);
	must_give(ask_number(TEST_STATEMENT_ECHO, 3));
}

/* The session lost its statements, as poolers do: they are prepared again on the next one. */
static void test_forgotten_statements(void **state)
{
	struct asked *asked = ask(TEST_STATEMENT_FORGET_ALL);

	(void)state;
	submit(asked);
	must_be(asked, DB_OK);
	for (int i = 0; i < 10; i++)
		assert_int_equal(must_give(ask_number(TEST_STATEMENT_ECHO, i)), i);
}

/* A table that does not fit the statements makes the database unavailable until it fits again. */
static void test_changed_shape(void **state)
{
	(void)state;
	must_give(ask_number(TEST_STATEMENT_ITEM_ALL, 1));
	run_sql("ALTER TABLE item ADD COLUMN extra int");
	must_be(ask_number(TEST_STATEMENT_ITEM_ALL, 1), DB_UNAVAILABLE);
	assert_false(db_is_up(world.db));
	run_sql("ALTER TABLE item DROP COLUMN extra");
	turn_until(db_is_up(world.db));
	must_give(ask_number(TEST_STATEMENT_ITEM_ALL, 1));
}

/* A plan that became invalid and is valid again causes no error. */
static void test_invalid_plan(void **state)
{
	(void)state;
	must_give(ask_number(TEST_STATEMENT_ITEM_ALL, 1));
	run_sql("ALTER TABLE item ADD COLUMN extra int; ALTER TABLE item DROP COLUMN extra");
	must_give(ask_number(TEST_STATEMENT_ITEM_ALL, 1));
}

static unsigned count_lines(int fd, const char *word)
{
	char text[64 * 1024];
	ssize_t length = pread(fd, text, sizeof(text) - 1, 0);
	unsigned count = 0;

	assert_true(length >= 0);
	text[length] = 0;
	for (const char *at = text; (at = strstr(at, word)); at++)
		count++;
	return count;
}

/* Logs one line when a connection breaks and one when it is back, whatever happens between. */
static void test_log(void **state)
{
	enum { all = 3 };
	int fd = memfd_create("log", 0);

	(void)state;
	log_set_level(LOG_INFO);
	log_set_fd(fd);
	open_world(NULL);
	assert_int_equal(count_lines(fd, "connected"), all);
	control("stop");
	turn_until(db_connections_up(world.db) == 0);
	/* Each turn is the beginning of an attempt, or its end. */
	for (int i = 0; i < 20; i++)
		uv_run(&world.loop.uv, UV_RUN_ONCE);
	control("start");
	turn_until(db_connections_up(world.db) == all);
	close_world();
	log_set_fd(2);
	log_set_level(LOG_ERROR);
	assert_int_equal(count_lines(fd, "msg=connected"), 2 * all);
	assert_int_equal(count_lines(fd, "cannot connect, retrying"), all);
	assert_int_equal(count_lines(fd, "\n"), 3 * all);
	close(fd);
}

/* A wrong role, or no free place: the pool keeps trying, and connects once it may. */
static void test_not_let_in(void **state)
{
	struct db_settings settings = usual_settings();
	char url[500];

	(void)state;
	run_sql("CREATE ROLE visitor LOGIN CONNECTION LIMIT 0");
	run_sql("GRANT ALL ON item TO visitor");
	snprintf(url, sizeof(url), "%.*suser=visitor",
		 (int)(strstr(settings.url, "user=") - settings.url), settings.url);
	settings.url = url;
	world = (struct world){0};
	assert_int_equal(loop_init(&world.loop), 0);
	world.db = db_create(&world.loop, &settings);
	must_be(ask_number(TEST_STATEMENT_ECHO, 1), DB_UNAVAILABLE);
	run_sql("ALTER ROLE visitor CONNECTION LIMIT -1");
	turn_until(db_is_up(world.db) && db_hints_are_up(world.db));
	must_give(ask_number(TEST_STATEMENT_ECHO, 1));
	close_world();
}

/* Waiting callers get the reason: here a thread resolves names, not libpq. */
static void test_unknown_name(void **state)
{
	struct db_settings settings = usual_settings();

	(void)state;
	settings.url = "postgresql://u@database.invalid/x";
	world = (struct world){0};
	assert_int_equal(loop_init(&world.loop), 0);
	world.db = db_create(&world.loop, &settings);
	assert_int_equal(db_unavailable(world.db), UNAVAILABLE_NOT);
	turn_until(db_unavailable(world.db) == UNAVAILABLE_UNKNOWN &&
		   db_hints_unavailable(world.db) == UNAVAILABLE_UNKNOWN);
	close_world();
}

static void on_closed(void *context)
{
	*(bool *)context = true;
}

static void test_close_while_away(void **state)
{
	bool closed = false;

	(void)state;
	open_world(NULL);
	control("kill");
	turn_until(!db_is_up(world.db));
	db_close(world.db, 60000, on_closed, &closed);
	turn_until(closed);
	db_destroy(world.db);
	loop_finish(&world.loop);
	control("start");
}

static void raise_in_a_write(const char *sqlstate, enum db_outcome outcome)
{
	struct asked *asked = ask(TEST_STATEMENT_RAISE_WRITE);

	db_add_text(&asked->query.parameters, str_from(sqlstate));
	submit(asked);
	must_be(asked, outcome);
}

/* Lack of room is detected in any write, and no other error counts as that. */
static void test_full(void **state)
{
	struct storage *storage = db_storage(world.db);
	uint64_t mark, later;

	(void)state;
	raise_in_a_write("22012", DB_FAILED);
	raise_in_a_write("DD001", DB_CONSTRAINT);
	assert_false(storage_is_full(storage));
	raise_in_a_write("53100", DB_UNAVAILABLE);
	assert_true(storage_is_full(storage));
	assert_true(storage_wants_probe(storage, 5000, &mark));
	assert_false(storage_wants_probe(storage, 5999, &later));
	raise_in_a_write("58030", DB_FAILED); /* after the probe's beginning: counts */
	storage_probed(storage, mark);
	assert_true(storage_is_full(storage));
	assert_true(storage_wants_probe(storage, 6000, &later));
	storage_probed(storage, later);
	assert_false(storage_is_full(storage));
	storage_probed(storage, mark); /* an old one arrives late */
	assert_false(storage_is_full(storage));
}

#define USUAL(test) cmocka_unit_test_setup_teardown(test, open_usual, close_usual)
#define POOLS(test) cmocka_unit_test_setup_teardown(test, open_pools, close_usual)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    USUAL(test_reads_move),
	    USUAL(test_read_moves_once),
	    POOLS(test_read_moves_once),
	    USUAL(test_write_is_not_repeated),
	    USUAL(test_queries_wait_for_connections_that_return),
	    POOLS(test_pool_goes_on),
	    USUAL(test_killed),
	    POOLS(test_killed),
	    USUAL(test_restarted),
	    USUAL(test_silent),
	    USUAL(test_silence_was_ours),
	    USUAL(test_statement_timeout),
	    USUAL(test_forgotten_statements),
	    USUAL(test_changed_shape),
	    USUAL(test_invalid_plan),
	    USUAL(test_full),
	    cmocka_unit_test(test_log),
	    cmocka_unit_test(test_not_let_in),
	    cmocka_unit_test(test_close_while_away),
	    cmocka_unit_test(test_unknown_name),
	};

	return cmocka_run_group_tests(tests, make_tables, NULL);
}

#include "support.h"
#include "base/log.h"
#include "base/require.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct world world;

void run_sql(const char *sql)
{
	PGconn *pg = PQconnectdb(getenv("DISPLAYD_TEST_DATABASE"));
	PGresult *result = PQexec(pg, sql);

	if (PQresultStatus(result) != PGRES_COMMAND_OK && PQresultStatus(result) != PGRES_TUPLES_OK)
		fail_msg("%s: %s", sql, PQerrorMessage(pg));
	PQclear(result);
	PQfinish(pg);
}

void control(const char *command)
{
	const char *number = getenv("DISPLAYD_TEST_CONTROL");
	char answer[1000] = "";
	size_t length = 0;
	int fd;

	require(number);
	fd = (int)strtol(number, NULL, 10);
	dprintf(fd, "%s\n", command);
	while (length < sizeof(answer) - 1 && !strchr(answer, '\n')) {
		ssize_t got = read(fd, answer + length, sizeof(answer) - 1 - length);

		assert_true(got > 0);
		length += (size_t)got;
		answer[length] = 0;
	}
	assert_string_equal(answer, "ok\n");
}

int make_tables(void **state)
{
	(void)state;
	alarm(600); /* for all tests of a program: ends a hang, but not a busy machine */
	log_set_level(getenv("DISPLAYD_TEST_VERBOSE") ? LOG_DEBUG : LOG_ERROR);
	run_sql("SET client_min_messages = warning;"
		"DROP TABLE IF EXISTS item;"
		"CREATE TABLE item (id int8 PRIMARY KEY, name text NOT NULL, parent int8,"
		" CONSTRAINT item_name_unique UNIQUE (name),"
		" CONSTRAINT item_name_length CHECK (length(name) < 100),"
		" CONSTRAINT item_parent_fkey FOREIGN KEY (parent) REFERENCES item"
		"  DEFERRABLE INITIALLY DEFERRED);"
		"INSERT INTO item VALUES (1, 'one'), (2, 'two');"
		/* Only the first two calls wait between their locks. On a busy machine, a call
		 * that runs again after a deadlock could otherwise meet the other one once more. */
		"CREATE SEQUENCE IF NOT EXISTS touched;"
		"CREATE OR REPLACE FUNCTION touch_pair(a int8, b int8) RETURNS bool"
		" LANGUAGE plpgsql AS $$ BEGIN"
		"  UPDATE item SET name = name WHERE id = a;"
		"  IF nextval('touched') <= 2 THEN PERFORM pg_sleep(0.1); END IF;"
		"  UPDATE item SET name = name WHERE id = b; RETURN true; END $$;"
		"CREATE TABLE IF NOT EXISTS let_go (x int);"
		"CREATE OR REPLACE FUNCTION hold(seconds float8) RETURNS void"
		" LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(seconds);"
		"  WHILE seconds < 0 AND NOT EXISTS (SELECT FROM let_go) LOOP"
		"   PERFORM pg_sleep(0.01); END LOOP; END $$;"
		"CREATE OR REPLACE FUNCTION forget_all() RETURNS bool LANGUAGE plpgsql"
		" AS $$ BEGIN DEALLOCATE ALL; RETURN true; END $$;"
		"CREATE OR REPLACE FUNCTION raise(state text) RETURNS bool LANGUAGE plpgsql"
		" AS $$ BEGIN RAISE EXCEPTION 'told to' USING ERRCODE = state; END $$;");
	/* Does what the triggers of webhooks do, in a transaction whose commit takes long. */
	run_sql("CREATE OR REPLACE FUNCTION report(state text) RETURNS bool LANGUAGE plpgsql"
		" AS $$ BEGIN RAISE INFO 'told to' USING ERRCODE = state; RETURN true; END $$;"
		"CREATE OR REPLACE FUNCTION hold_commit() RETURNS trigger LANGUAGE plpgsql"
		" AS $$ BEGIN PERFORM hold(NEW.seconds); RETURN NULL; END $$;"
		"DROP TABLE IF EXISTS held;"
		"CREATE TABLE held (seconds float8);"
		"CREATE CONSTRAINT TRIGGER hold AFTER INSERT ON held DEFERRABLE INITIALLY DEFERRED"
		" FOR EACH ROW EXECUTE FUNCTION hold_commit();");
	run_sql("ALTER DATABASE postgres SET deadlock_timeout = '10ms'");
	return 0;
}

static void on_hint(struct hint_subscription *subscription, struct str word)
{
	size_t length = strlen(world.hints);

	assert_ptr_equal(subscription, &world.subscription);
	snprintf(world.hints + length, sizeof(world.hints) - length, "%.*s ", STR_ARG(word));
}

static void on_hints_up(struct hint_subscription *subscription, bool up)
{
	assert_ptr_equal(subscription, &world.subscription);
	world.up_count += up;
	world.down_count += !up;
}

struct db_settings usual_settings(void)
{
	return (struct db_settings){
	    .url = getenv("DISPLAYD_TEST_DATABASE"),
	    .read_connections = 1,
	    .write_connections = 1,
	    .statements = test_statements,
	    .statement_count = TEST_STATEMENT_COUNT,
	};
}

/* Simultaneous writes wake the on-demand connections. */
static void wake_all(unsigned count)
{
	while (db_connections_up(world.db) < count) {
		struct asked *asked[2];

		for (unsigned i = 0; i < array_length(asked); i++) {
			asked[i] = ask(TEST_STATEMENT_TRANSACTION_WRITE);
			submit(asked[i]);
		}
		for (unsigned i = 0; i < array_length(asked); i++) {
			wait_for(asked[i]);
			forget(asked[i]);
		}
	}
	world.done_count = 0;
}

void open_world(const struct db_settings *settings)
{
	struct db_settings usual = usual_settings();

	world = (struct world){0};
	assert_int_equal(loop_init(&world.loop), 0);
	world.db = db_create(&world.loop, settings ? settings : &usual);
	assert_non_null(world.db);
	world.subscription.on_hint = on_hint;
	world.subscription.on_up = on_hints_up;
	db_subscribe(world.db, &world.subscription);
	settings = settings ? settings : &usual;
	turn_until(db_connections_up(world.db) == settings->read_connections + 2);
	if (!settings->on_demand_idle_ms)
		wake_all(settings->read_connections + settings->write_connections + 1);
}

static void on_closed(void *context)
{
	*(bool *)context = true;
}

void close_world(void)
{
	close_world_after(60000);
}

void close_world_after(uint64_t timeout_ms)
{
	bool closed = false;

	db_close(world.db, timeout_ms, on_closed, &closed);
	turn_until(closed);
	db_destroy(world.db);
	loop_finish(&world.loop);
	arena_drop_cache();
}

static void read_first(struct asked *asked, const struct db_result *result)
{
	struct record_value value = db_value(result, 0, 0);

	uint64_t number = 0;

	asked->length = value.length;
	if (!value.length)
		return;
	memcpy(asked->text, value.data,
	       value.length < sizeof(asked->text) ? value.length : sizeof(asked->text) - 1);
	for (unsigned i = 0; i < value.length && i < 8; i++)
		number = number << 8 | value.data[i];
	asked->number = value.length == 4 ? (int32_t)number : (int64_t)number;
}

static void on_done(struct db_query *query, const struct db_result *result)
{
	struct asked *asked = container_of(query, struct asked, query);

	assert_false(asked->done);
	asked->done = true;
	asked->place = ++world.done_count;
	asked->outcome = result->outcome;
	asked->constraint_error = result->constraint_error;
	asked->row_count = result->row_count;
	if (result->row_count && result->column_count)
		read_first(asked, result);
	if (asked->then)
		asked->then(asked);
}

struct asked *ask(unsigned statement)
{
	struct asked *asked = memory_zalloc(sizeof(*asked));

	asked->query.statement = (enum statement)statement;
	asked->query.done = on_done;
	db_parameters_init(&asked->query.parameters, &asked->arena);
	return asked;
}

void submit(struct asked *asked)
{
	db_submit(world.db, &asked->query);
	assert_false(asked->done);
}

void wait_for(struct asked *asked)
{
	turn_until(asked->done);
}

void forget(struct asked *asked)
{
	assert_true(asked->done);
	arena_finish(&asked->arena);
	free(asked);
}

struct asked *ask_number(unsigned statement, int64_t number)
{
	struct asked *asked = ask(statement);

	db_add_int8(&asked->query.parameters, number);
	submit(asked);
	return asked;
}

bool finds(const char *sql)
{
	PGconn *pg = PQconnectdb(usual_settings().url);
	PGresult *result = PQexec(pg, sql);
	bool found = PQntuples(result) > 0;

	assert_int_equal(PQresultStatus(result), PGRES_TUPLES_OK);
	PQclear(result);
	PQfinish(pg);
	return found;
}

bool somebody_sleeps(void)
{
	return finds("SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
}

int open_usual(void **state)
{
	(void)state;
	open_world(NULL);
	return 0;
}

int close_usual(void **state)
{
	(void)state;
	close_world();
	return 0;
}

void must_be(struct asked *asked, enum db_outcome outcome)
{
	wait_for(asked);
	assert_int_equal(asked->outcome, outcome);
	forget(asked);
}

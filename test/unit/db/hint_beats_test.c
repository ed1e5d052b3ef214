/* The connection for hints of a worker that beats (beats.h). */
#include "base/limits.h"
#include "db_private.h"
#include "support.h"

#include <arpa/inet.h>
#include <stdlib.h>

/* The trigger tells where a beat stands among hints. */
static const char beat_table[] =
    "CREATE TABLE hint_beat (instance uuid, worker int4, through_at timestamptz,"
    " seen_at timestamptz, has_left bool DEFAULT false, PRIMARY KEY (instance, worker));"
    "CREATE FUNCTION report_beat() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
    " PERFORM pg_notify('displayd_hint', 'beaten'); RETURN NULL; END $$;"
    "CREATE TRIGGER report AFTER INSERT ON hint_beat FOR EACH ROW WHEN (NEW.worker = 0)"
    " EXECUTE FUNCTION report_beat()";

/* Looks take longer than the time between two. */
static const char slow_looks[] =
    "CREATE SCHEMA slow;"
    "CREATE FUNCTION slow.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql AS $$ BEGIN"
    " PERFORM pg_sleep(0.3); RETURN pg_catalog.clock_timestamp(); END $$;"
    "ALTER DATABASE postgres SET search_path = slow, pg_catalog, public";

/* A worker that beats, and sends a hint when its connection comes up. */
static struct db *beating;
static struct hint_subscription beating_subscription;

static void ignore_hint(struct hint_subscription *subscription, struct str word)
{
	(void)subscription;
	(void)word;
}

/* More than one NOTIFY can take. */
static void on_beating_up(struct hint_subscription *subscription, bool up)
{
	char word[LIMIT_HINT_WORD_BYTES];

	(void)subscription;
	memset(word, 'w', sizeof(word));
	for (unsigned i = 0; up && i < 5; i++)
		db_hint(beating, (struct str){word, sizeof(word)});
	if (up)
		db_hint(beating, STR("made-good"));
}

static int open_with(struct db_settings settings)
{
	run_sql(beat_table);
	open_world(NULL);
	settings.instance = (struct id){{1}};
	beating = db_create(&world.loop, &settings);
	if (settings.statements)
		beating->hints.on_unseen = NULL; /* its statement is not one of those of tests */
	beating_subscription =
	    (struct hint_subscription){.on_hint = ignore_hint, .on_up = on_beating_up};
	db_subscribe(beating, &beating_subscription);
	turn_until(db_hints_are_up(beating));
	return 0;
}

static int open_beating(void **state)
{
	(void)state;
	return open_with(usual_settings());
}

/* A worker with the statements of displayd. */
static int open_complete(void **state)
{
	struct db_settings settings = usual_settings();

	(void)state;
	settings.statements = NULL;
	return open_with(settings);
}

static int open_slow(void **state)
{
	run_sql(slow_looks);
	return open_beating(state);
}

static void on_closed(void *context)
{
	*(bool *)context = true;
}

static int close_beating(void **state)
{
	bool closed = false;

	(void)state;
	db_close(beating, 60000, on_closed, &closed);
	turn_until(closed);
	db_destroy(beating);
	assert_true(finds("SELECT FROM hint_beat WHERE has_left"));
	close_world();
	run_sql(
	    "ALTER DATABASE postgres RESET search_path; SET client_min_messages = warning; "
	    "DROP TABLE hint_beat; DROP FUNCTION report_beat; DROP SCHEMA IF EXISTS slow CASCADE");
	return 0;
}

#define BEATING(test) TEST_IN(test, open_beating, close_beating)
#define SLOW(test) TEST_IN(test, open_slow, close_beating)

/* Looks leave time for hints, and for the worker's end. */
SLOW(test_slow_looks)
{
	turn_until(strstr(world.hints, "beaten"));
	for (unsigned i = 1; i <= 3; i++) {
		world.hints[0] = 0;
		db_hint(beating, STR("word"));
		turn_until(strstr(world.hints, "word"));
	}
}

/* The first beat tells that hints which were lost are made up for. */
SLOW(test_first_beat)
{
	const char *made_good;

	turn_until(strstr(world.hints, "beaten"));
	made_good = strstr(world.hints, "made-good");
	assert_non_null(made_good);
	assert_true(made_good < strstr(world.hints, "beaten"));
}

/* ---- a worker whose beats fail ---- */

static enum db_outcome write_outcome(void)
{
	struct asked *asked = ask(STATEMENT_HINT_SEEN);
	enum db_outcome outcome;

	db_add_id(&asked->query.parameters, (struct id){{2}});
	db_add_int4(&asked->query.parameters, 1);
	db_submit(beating, &asked->query);
	wait_for(asked);
	outcome = asked->outcome;
	forget(asked);
	return outcome;
}

static bool has_row(void)
{
	return finds("SELECT FROM hint_beat WHERE seen_at > now() - interval '10 s' AND "
		     "instance = '01000000-0000-0000-0000-000000000000'");
}

/* Others have forgotten it after a minute: it makes itself known before it writes. */
TEST_IN(test_a_forgotten_writer, open_complete, close_beating)
{
	struct hints *hints = &beating->hints;

	run_sql("INSERT INTO hint_beat VALUES (md5('other')::uuid, 1, now(), now())");
	turn_until(hints->has_beaten && beats_know_others(&hints->beats) && db_is_up(beating));
	assert_int_equal(write_outcome(), DB_OK);
	for (unsigned i = 0; i < 2; i++) {
		hints->beat_again_ms = UINT64_MAX;
		turn_until(!hints->busy);
		run_sql("DELETE FROM hint_beat WHERE instance = "
			"'01000000-0000-0000-0000-000000000000'");
		hints->seen_ms = loop_now_ms(&world.loop) - 55 * UINT64_C(1000);
		assert_false(db_is_up(beating));
		assert_int_equal(write_outcome(), DB_UNAVAILABLE);
		turn_until(db_is_up(beating));
		assert_true(has_row());
		assert_int_equal(write_outcome(), DB_OK);
	}
}

/* Rows that are dead to all but an old transaction make each look slower. */
BEATING(test_dead_beats)
{
	PGconn *old = PQconnectdb(getenv("DISPLAYD_TEST_DATABASE"));

	PQclear(PQexec(old, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM pg_class LIMIT 1"));
	assert_int_equal(PQtransactionStatus(old), PQTRANS_INTRANS);
	run_sql("INSERT INTO hint_beat SELECT md5(i::text)::uuid, i, now(), now() - "
		"CASE WHEN i = 1 THEN interval '0' ELSE interval '2 hours' END "
		"FROM generate_series(1, 20000) AS i");
	assert_true(finds("SELECT WHERE pg_relation_size('hint_beat') > 1048576"));
	turn_until(finds("SELECT WHERE pg_relation_size('hint_beat') < 100000"));
	assert_true(finds("SELECT FROM hint_beat WHERE worker = 1"));
	assert_false(finds("SELECT FROM hint_beat WHERE worker = 2"));
	PQfinish(old);
}

/* ---- a standby that holds old rows (hot_standby_feedback) ---- */

static PGconn *standby;

static uint32_t next_transaction(void)
{
	PGconn *pg = PQconnectdb(usual_settings().url);
	PGresult *result = PQexec(pg, "SELECT pg_current_xact_id()::xid");
	uint32_t id = (uint32_t)strtoul(PQgetvalue(result, 0, 0), NULL, 10);

	PQclear(result);
	PQfinish(pg);
	return id;
}

static void connect_standby(void)
{
	char text[1024], feedback[1 + 8 + 4 * 4] = {'h'};
	uint32_t xmin = htonl(next_transaction());
	PGresult *system;

	(void)snprintf(text, sizeof(text), "%s%creplication=true&options=-cwal_sender_timeout%%3D0",
		       usual_settings().url, strchr(usual_settings().url, '?') ? '&' : '?');
	standby = PQconnectdb(text);
	system = PQexec(standby, "IDENTIFY_SYSTEM");
	(void)snprintf(text, sizeof(text), "START_REPLICATION PHYSICAL %s",
		       PQgetvalue(system, 0, 2));
	PQclear(system);
	PQclear(PQexec(standby, text));
	memcpy(feedback + 1 + 8, &xmin, sizeof(xmin));
	assert_int_equal(PQputCopyData(standby, feedback, sizeof(feedback)), 1);
	assert_int_equal(PQflush(standby), 0);
	turn_until(finds("SELECT FROM pg_stat_replication WHERE backend_xmin IS NOT NULL"));
}

static int open_held(void **state)
{
	connect_standby();
	return open_beating(state);
}

static int close_held(void **state)
{
	PQfinish(standby);
	return close_beating(state);
}

/* Adds rows that a worker removes when it tidies, each by a transaction of its own, and then the
 * row of another instance, for which workers beat. */
static void add_beats(void)
{
	run_sql("DO $$ BEGIN FOR i IN 1..20000 LOOP BEGIN INSERT INTO hint_beat "
		"VALUES (md5(i::text)::uuid, i, now(), now() - interval '2 hours'); "
		"EXCEPTION WHEN unique_violation THEN END; END LOOP; "
		"INSERT INTO hint_beat VALUES (md5('0')::uuid, 20001, now(), now()); END $$");
}

/* PostgreSQL would end a pg_dump on the standby, which has locked the table. */
TEST_IN(test_a_standby_keeps_a_table, open_held, close_held)
{
	add_beats();
	turn_until(!finds("SELECT FROM hint_beat WHERE worker = 1"));
	assert_true(finds("SELECT WHERE pg_relation_size('hint_beat') > 1048576"));
}

TEST_IN(test_a_standby_keeps_no_huge_table, open_held, close_held)
{
	run_sql("ALTER TABLE hint_beat SET (fillfactor = 10); "
		"INSERT INTO hint_beat SELECT md5(i::text)::uuid, -i, now(), now() - "
		"interval '2 hours' FROM generate_series(1, 10000) AS i");
	add_beats();
	/* A look at the table itself would lock it against the worker. */
	turn_until(
	    finds("SELECT FROM pg_class WHERE relname = 'hint_beat' AND relfilenode <> oid"));
}

RUN_TESTS(make_tables, NULL)

/* Hints between the databases of two workers. */
#include "base/limits.h"
#include "db/hint_text.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>

/* A second worker on the same loop. */
static struct db *other;
static char other_hints[64 * 1024];
static struct hint_subscription other_subscription;

static void on_other_hint(struct hint_subscription *subscription, struct str word)
{
	size_t length = strlen(other_hints);

	(void)subscription;
	snprintf(other_hints + length, sizeof(other_hints) - length, "%.*s ", STR_ARG(word));
}

static int open_two(void **state)
{
	struct db_settings settings = usual_settings();

	(void)state;
	open_world(NULL);
	other_hints[0] = 0;
	other = db_create(&world.loop, &settings);
	other_subscription = (struct hint_subscription){.on_hint = on_other_hint};
	db_subscribe(other, &other_subscription);
	turn_until(db_hints_are_up(other));
	return 0;
}

static void on_closed(void *context)
{
	*(bool *)context = true;
}

static int close_two(void **state)
{
	bool closed = false;

	(void)state;
	db_close(other, 60000, on_closed, &closed);
	turn_until(closed);
	db_destroy(other);
	close_world();
	return 0;
}

#define TWO(test) TEST_IN(test, open_two, close_two)

TWO(test_heard_by_all)
{
	db_hint(world.db, STR("device:1:17"));
	turn_until(world.hints[0] && other_hints[0]);
	assert_string_equal(world.hints, "device:1:17 ");
	assert_string_equal(other_hints, "device:1:17 ");
}

/* Hints that the subscribers of a kind have received. */
struct listener {
	struct hint_subscription subscription;
	char texts[200];
};

static void on_kind(struct hint_subscription *subscription, struct str text)
{
	struct listener *listener = container_of(subscription, struct listener, subscription);
	size_t length = strlen(listener->texts);

	snprintf(listener->texts + length, sizeof(listener->texts) - length, "%.*s ",
		 STR_ARG(text));
}

TWO(test_kinds)
{
	struct listener device = {.subscription = {.kind = STR("device"), .on_hint = on_kind}};
	struct listener again = {.subscription = {.kind = STR("device"), .on_hint = on_kind}};
	struct listener key = {.subscription = {.kind = STR("key"), .on_hint = on_kind}};
	struct listener gone = {.subscription = {.kind = STR("key"), .on_hint = on_kind}};

	db_subscribe(other, &device.subscription);
	db_subscribe(other, &again.subscription);
	db_subscribe(other, &key.subscription);
	db_subscribe(other, &gone.subscription);
	db_unsubscribe(&gone.subscription);
	db_hint(world.db, STR("device:1:17"));
	db_hint(world.db, STR("devices:2"));
	db_hint(world.db, STR("dev:3"));
	db_hint(world.db, STR("device"));
	db_hint(world.db, STR("key:"));
	db_hint(world.db, STR("key:ab"));
	db_hint(world.db, STR("app:1:2"));
	db_hint(world.db, STR("last"));
	turn_until(strstr(other_hints, "last"));
	assert_string_equal(device.texts, "1:17 ");
	assert_string_equal(again.texts, "1:17 ");
	assert_string_equal(key.texts, " ab ");
	assert_string_equal(gone.texts, "");
	assert_string_equal(other_hints,
			    "device:1:17 devices:2 dev:3 device key: key:ab app:1:2 last ");
	db_unsubscribe(&device.subscription);
	db_unsubscribe(&again.subscription);
	db_unsubscribe(&key.subscription);
}

TEST(words)
{
	static char longest[LIMIT_HINT_WORD_BYTES + 1];

	for (unsigned i = 0; i < 19; i++) {
		for (int c = -128; c < 128; c++) {
			char text[] = "device:0190163d-869";

			text[i] = (char)c;
			assert_int_equal(hint_is_word((struct str){text, 19}), c > ' ' && c < 127);
		}
	}
	memset(longest, 'x', sizeof(longest));
	assert_true(hint_is_word((struct str){longest, sizeof(longest) - 1}));
	assert_false(hint_is_word((struct str){longest, sizeof(longest)}));
	assert_false(hint_is_word(STR("")));
}

static unsigned count_words(const char *text)
{
	unsigned count = 0;

	for (; *text; text++)
		count += *text == ' ';
	return count;
}

/* A thousand hints take a few NOTIFYs, each within PostgreSQL's limit, and none is lost. */
TWO(test_many_in_one)
{
	enum { COUNT = 1000 };
	char expected[64 * 1024] = "";
	size_t length = 0;

	for (unsigned i = 0; i < COUNT; i++) {
		char word[60];

		snprintf(word, sizeof(word), "device:0190163d-8694-739b-aea5-966c26f8:%u", i);
		length +=
		    (size_t)snprintf(expected + length, sizeof(expected) - length, "%s ", word);
		db_hint(world.db, str_from(word));
	}
	turn_until(count_words(other_hints) >= COUNT);
	assert_string_equal(other_hints, expected);
}

TWO(test_words_of_every_length)
{
	enum { STEP = 300 };
	char word[LIMIT_HINT_WORD_BYTES];
	char expected[64 * 1024] = "";
	size_t length = 0;
	unsigned count = 0;

	memset(word, 'w', sizeof(word));
	for (unsigned round = 0; round < 4; round++) {
		for (size_t i = round + 1; i <= sizeof(word); i += i < 100 ? 1 : STEP) {
			count++;
			db_hint(world.db, (struct str){word, i});
			length += (size_t)snprintf(expected + length, sizeof(expected) - length,
						   "%.*s ", (int)i, word);
		}
	}
	turn_until(count_words(other_hints) >= count);
	assert_string_equal(other_hints, expected);
}

TWO(test_too_many)
{
	enum { COUNT = LIMIT_HINT_BYTES / 10 + 100 };

	for (unsigned i = 0; i < COUNT; i++)
		db_hint(world.db, STR("123456789"));
	turn_until(count_words(other_hints) >= LIMIT_HINT_BYTES / 10);
	assert_int_equal(count_words(other_hints), LIMIT_HINT_BYTES / 10);
	world.hints[0] = other_hints[0] = 0;
	db_hint(world.db, STR("again"));
	turn_until(world.hints[0] && other_hints[0]);
	assert_string_equal(other_hints, "again ");
}

TWO(test_hostile_payload)
{
	run_sql("SELECT pg_notify('displayd_hint', '')");
	run_sql("SELECT pg_notify('displayd_hint', '   a  b ')");
	run_sql("SELECT pg_notify('displayd_hint', U&'\\0001 \\00e9 c' || chr(10) || 'c d')");
	run_sql("SELECT pg_notify('displayd_hint', repeat('x', 2001) || ' ' || repeat('y', 2000))");
	run_sql("SELECT pg_notify('displayd_other', 'no')");
	run_sql("SELECT pg_notify('displayd_hint', 'last')");
	turn_until(count_words(world.hints) >= 5);
	assert_memory_equal(world.hints, "a b d yyy", 9);
	assert_int_equal(strlen(world.hints), 6 + 2001 + 5);
}

static void cut_hints(void)
{
	run_sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
		"WHERE application_name = 'displayd' AND "
		"(query LIKE '%pg_notify%' OR query LIKE 'LISTEN%' OR query = 'SELECT')");
}

TWO(test_down_and_up)
{
	assert_int_equal(world.up_count, 1);
	assert_int_equal(world.down_count, 0);
	db_hint(world.db, STR("first")); /* so that pg_stat_activity shows what the sessions did */
	turn_until(world.hints[0] && other_hints[0]);
	cut_hints();
	turn_until(world.down_count);
	assert_false(db_hints_are_up(world.db));
	db_hint(world.db, STR("lost"));
	turn_until(world.up_count == 2 && db_hints_are_up(other));
	db_hint(world.db, STR("found"));
	turn_until(count_words(world.hints) == 2);
	assert_string_equal(world.hints, "first found ");
}

/* If a server does not answer, hints count as down, and recover with it. */
TWO(test_silence)
{
	control("pause");
	turn_until(world.down_count);
	control("resume");
	turn_until(db_hints_are_up(world.db) && db_hints_are_up(other) && db_is_up(world.db) &&
		   db_is_up(other));
	world.hints[0] = 0;
	db_hint(other, STR("back"));
	turn_until(world.hints[0]);
	assert_string_equal(world.hints, "back ");
}

static uint64_t heard_before_ms;

static void on_heard(struct hint_subscription *subscription, uint64_t before_ms)
{
	(void)subscription;
	assert_true(before_ms <= loop_now_ms(&world.loop));
	heard_before_ms = before_ms;
}

/* on_heard() is reliable: each hint that it counts has arrived. A silent server, whose connection
 * still counts as up, confirms nothing. */
TWO(test_heard)
{
	struct hint_subscription subscription = {.kind = STR("none"), .on_heard = on_heard};
	uint64_t sent_ms;

	heard_before_ms = 0;
	db_subscribe(world.db, &subscription);
	for (unsigned i = 1; i <= 5; i++) {
		run_sql("SELECT pg_notify('displayd_hint', 'word')");
		uv_update_time(&world.loop.uv);
		sent_ms = loop_now_ms(&world.loop);
		turn_until(heard_before_ms > sent_ms);
		/* Notifications are handled in the same turn as the answer. */
		assert_int_equal(count_words(world.hints), i);
	}
	control("pause");
	turn_until(world.down_count);
	assert_true(loop_now_ms(&world.loop) - heard_before_ms >= 1000);
	control("resume");
	sent_ms = loop_now_ms(&world.loop);
	turn_until(heard_before_ms > sent_ms && db_hints_are_up(other) && db_is_up(world.db) &&
		   db_is_up(other));
	db_unsubscribe(&subscription);
}

static struct asked *report(const char *sqlstate, double seconds)
{
	struct asked *asked = ask(TEST_STATEMENT_REPORT_WRITE);

	db_add_text(&asked->query.parameters, str_from(sqlstate));
	db_add_float8(&asked->query.parameters, seconds);
	submit(asked);
	return asked;
}

/* Every hint that was sent until now has arrived. */
static void wait_for_hints(void)
{
	struct hint_subscription subscription = {.kind = STR("none"), .on_heard = on_heard};
	uint64_t now_ms = loop_now_ms(&world.loop);

	heard_before_ms = 0;
	db_subscribe(world.db, &subscription);
	turn_until(heard_before_ms > now_ms);
	db_unsubscribe(&subscription);
}

/* Events for webhooks are announced once they are committed. */
TWO(test_hooks_are_due)
{
	struct asked *asked;

	run_sql("DELETE FROM let_go");
	asked = report("01D01", -1);
	while (!somebody_sleeps())
		uv_run(&world.loop.uv, UV_RUN_NOWAIT);
	wait_for_hints();
	assert_false(asked->done);
	assert_string_equal(world.hints, "");
	run_sql("INSERT INTO let_go VALUES (1)");
	wait_for(asked);
	assert_int_equal(asked->outcome, DB_OK);
	turn_until(world.hints[0] && other_hints[0]);
	assert_string_equal(world.hints, "webhook:due ");
	assert_string_equal(other_hints, "webhook:due ");
	forget(asked);
	run_sql("DELETE FROM let_go");
}

/* The hint shares the NOTIFY with those of the write itself; other messages count for nothing. */
TWO(test_hooks_in_one_notify)
{
	struct asked *asked;

	asked = report("01000", 0);
	wait_for(asked);
	forget(asked);
	asked = report("01D01", 0);
	wait_for(asked);
	db_hint(world.db, STR("push:1:1"));
	forget(asked);
	turn_until(strstr(world.hints, "push"));
	assert_non_null(strstr(world.hints, "webhook:due "));
	assert_int_equal(count_words(world.hints), 2);
}

/* Closing sends the waiting hints. */
TWO(test_close_sends)
{
	struct db_settings settings = usual_settings();
	struct db *third;
	bool closed = false;

	third = db_create(&world.loop, &settings);
	turn_until(db_hints_are_up(third));
	db_hint(third, STR("farewell"));
	db_close(third, 60000, on_closed, &closed);
	turn_until(closed && world.hints[0]);
	db_destroy(third);
	assert_string_equal(world.hints, "farewell ");
}

/* A NOTIFY that fails by a deadlock is sent again. The first two calls of this function, which
 * replaces PostgreSQL's own, report a deadlock. */
TEST(test_conflict)
{
	static const struct {
		struct str word;
		const char *heard;
	} hints[] = {{STR("first"), "first "}, {STR("second"), "first second "}};

	run_sql("CREATE SCHEMA conflict;"
		"CREATE SEQUENCE conflict.calls;"
		"CREATE FUNCTION conflict.pg_notify(channel text, payload text) RETURNS void"
		" LANGUAGE plpgsql AS $$ BEGIN"
		"  IF nextval('conflict.calls') <= 2 THEN"
		"   RAISE EXCEPTION 'told to' USING ERRCODE = '40P01';"
		"  END IF;"
		"  PERFORM pg_catalog.pg_notify(channel, payload); END $$;"
		"ALTER DATABASE postgres SET search_path = conflict, pg_catalog, public");
	open_two(state);
	for (size_t i = 0; i < array_length(hints); i++) {
		db_hint(world.db, hints[i].word);
		turn_until(strlen(other_hints) == strlen(hints[i].heard));
		assert_string_equal(other_hints, hints[i].heard);
	}
	close_two(state);
	run_sql("ALTER DATABASE postgres RESET search_path; SET client_min_messages = warning; "
		"DROP SCHEMA conflict CASCADE");
}

RUN_TESTS(make_tables, NULL)

#include "domain/shown.h"

#include "../cmocka_test.h"

/* 2026-11-20T12:00:00Z */
static const int64_t start_us = INT64_C(1795176000) * 1000000;

static struct content_installation entries[2];
static struct content content;

static int set_up(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++)
		entries[i] = (struct content_installation){.position = 10 * (i + 1),
							   .picture_generation = 10 * (i + 1)};
	content = (struct content){
	    .settings = {.brightness = 60, .schedule_interval_s = 20},
	    .installations = entries,
	    .installation_count = 2,
	    .night_brightness = 4,
	};
	return 0;
}

static struct playback_clock clock_at(int64_t second)
{
	return (struct playback_clock){.now_ms = 1000 + second * 1000,
				       .wall_us = start_us + second * 1000000};
}

static void sleeps(void)
{
	content.settings.sleep_enabled = true;
	content.settings.sleep_start_minute = 11 * 60;
	content.settings.sleep_end_minute = 12 * 60 + 1;
}

/* ---- a panel with a WebSocket ---- */

static void take_brightness(void *context, int percent)
{
	(void)context;
	(void)percent;
}

static bool take_picture(void *context, const struct playback_item *item, int64_t dwell_s,
			 int brightness, bool hurried)
{
	(void)context;
	(void)item;
	(void)dwell_s;
	(void)brightness;
	(void)hurried;
	return true;
}

static const struct playback_output output = {.brightness = take_brightness,
					      .picture = take_picture};

static struct playback playback;

static struct shown look(int64_t second)
{
	playback_update(&playback, &content, clock_at(second), &output);
	return shown_of_playback(&playback, &content, clock_at(second));
}

TEST_IN(by_websocket, set_up, NULL)
{
	struct shown shown;

	playback_init(&playback, -1);
	shown = look(0);
	assert_int_equal(shown.kind, SHOWN_ROTATION);
	assert_int_equal(shown.next_kind, SHOWN_ROTATION);
	content.pinned_position = 20;
	shown = look(1);
	assert_int_equal(shown.kind, SHOWN_PINNED);
	assert_int_equal(shown.item.position, 20);
	assert_int_equal(shown.next_kind, SHOWN_UNKNOWN);
	assert_int_equal(shown.until_ms, 0);
	sleeps();
	shown = look(2);
	assert_int_equal(shown.kind, SHOWN_ASLEEP);
	content.night_position = 10;
	shown = look(3);
	assert_int_equal(shown.kind, SHOWN_NIGHT);
	assert_int_equal(shown.item.position, 10);
	assert_int_equal(shown.brightness, 4);
	assert_int_equal(shown.next_kind, SHOWN_UNKNOWN);
	shown = look(60);
	assert_int_equal(shown.kind, SHOWN_PINNED);
	content.settings.brightness = 0;
	assert_int_equal(look(61).kind, SHOWN_DARK);
	playback_finish(&playback);
}

/* ---- a panel that polls ---- */

static struct poll_cursor cursor;

static struct shown poll_and_look(int64_t second)
{
	struct poll_answer answer = poll_next(&cursor, &content, clock_at(second).wall_us);
	struct shown_poll poll = {
	    .item = answer.item, .at_ms = clock_at(second).now_ms, .dwell_s = answer.dwell_s};

	return shown_of_poll(&poll, &cursor, &content, clock_at(second + 1));
}

TEST_IN(by_polling, set_up, NULL)
{
	struct shown shown;

	cursor = (struct poll_cursor){.position = -1};
	shown = poll_and_look(0);
	assert_int_equal(shown.kind, SHOWN_ROTATION);
	assert_int_equal(shown.item.position, 10);
	assert_int_equal(shown.next.position, 20);
	assert_int_equal(shown.until_ms, 21000);
	content.pinned_position = 20;
	shown = poll_and_look(20);
	assert_int_equal(shown.kind, SHOWN_PINNED);
	assert_int_equal(shown.next_kind, SHOWN_UNKNOWN);
	sleeps();
	assert_int_equal(poll_and_look(30).kind, SHOWN_ASLEEP);
	content.night_position = 10;
	shown = poll_and_look(31);
	assert_int_equal(shown.kind, SHOWN_NIGHT);
	assert_int_equal(shown.brightness, 4);
	content.settings.brightness = 0;
	assert_int_equal(poll_and_look(32).kind, SHOWN_DARK);
}

/* The panel shows the entry until it polls again. */
TEST_IN(what_was_served_is_shown_when_all_else_changes, set_up, NULL)
{
	struct poll_answer answer;
	struct shown_poll poll;
	struct shown shown;

	cursor = (struct poll_cursor){.position = -1};
	answer = poll_next(&cursor, &content, start_us);
	poll = (struct shown_poll){.item = answer.item, .at_ms = 1000, .dwell_s = answer.dwell_s};
	entries[0].is_disabled = entries[1].is_disabled = true;
	shown = shown_of_poll(&poll, &cursor, &content, clock_at(1));
	assert_int_equal(shown.kind, SHOWN_ROTATION);
	assert_int_equal(shown.item.position, 10);
	assert_int_equal(shown.next_kind, SHOWN_NOTHING);
	shown = poll_and_look(20);
	assert_int_equal(shown.kind, SHOWN_NOTHING);
	assert_int_equal(shown.next_kind, SHOWN_UNKNOWN);
	entries[1].is_disabled = false;
	assert_int_equal(poll_and_look(40).item.position, 20);
}

RUN_TESTS(NULL, NULL)

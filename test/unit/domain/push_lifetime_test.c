/* Pushes that are held, wake the panel, or expire: on panels with a WebSocket and on those that
 * poll. */
#include "base/memory.h"
#include "domain/poll.h"
#include "playback_scene.h"

enum { S = 1000, MINUTE = 60 * 1000, HOUR = 60 * MINUTE };

static int64_t one, other; /* positions of two entries */

static void begin(int firmware)
{
	bed_init(bed, (enum firmware)firmware, 1);
	one = bed_add_installation(bed, 0);
	other = bed_add_installation(bed, 0);
	bed_connect(bed);
	bed_run(bed, S);
}

static int64_t wall_us(void)
{
	return bed_clock(bed).wall_us;
}

/* Makes the panel sleep for this long from now on. */
static void sleep_for(int minutes)
{
	int32_t second = local_time_at(NULL, wall_us()).second;
	int start = second / 60;

	bed->content.settings.sleep_enabled = true;
	bed->content.settings.sleep_start_minute = (int16_t)start;
	bed->content.settings.sleep_end_minute = (int16_t)((start + minutes) % DAY_MINUTES);
	bed_update(bed);
	bed_run(bed, 2 * S);
	assert_int_equal(bed->panel.brightness, 0);
}

static void push(bool is_held, bool is_waking)
{
	struct content_push next;

	bed_push_temporary(bed, 10, 0);
	next = bed->content.push;
	next.generation = ++bed->generation;
	next.is_held = is_held;
	next.is_waking = is_waking;
	bed->content.push = next;
	bed_update(bed);
}

static void remove_push(void)
{
	bed->content.push = (struct content_push){0};
	bed_update(bed);
}

static void assert_screen(enum playback_kind kind)
{
	assert_int_equal(bed_screen(bed).kind, kind);
}

SCENE(a_held_push_stays_until_it_is_removed)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		unsigned sent;

		begin(firmware);
		push(true, false);
		bed_run(bed, 20 * S);
		assert_screen(PLAYBACK_PUSH);
		sent = bed->pictures_sent;
		bed_run(bed, HOUR);
		assert_screen(PLAYBACK_PUSH);
		assert_int_equal(bed->pictures_sent, sent);
		remove_push();
		bed_run(bed, 3 * S);
		assert_screen(PLAYBACK_INSTALLATION);
	}
}

SCENE(a_held_push_comes_back_after_the_night_and_a_reconnect)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		begin(firmware);
		push(true, false);
		bed_run(bed, 20 * S);
		sleep_for(60);
		bed_run(bed, HOUR + MINUTE);
		assert_int_equal(bed->panel.brightness, 60);
		assert_screen(PLAYBACK_PUSH);
		bed_disconnect(bed);
		bed_run(bed, HOUR);
		bed_connect(bed);
		bed_run(bed, 20 * S);
		assert_screen(PLAYBACK_PUSH);
	}
}

SCENE(a_newer_push_replaces_a_held_one)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		begin(firmware);
		push(true, false);
		bed_run(bed, MINUTE);
		push(false, false);
		bed_run(bed, 2 * MINUTE);
		assert_screen(PLAYBACK_INSTALLATION);
	}
}

SCENE(a_push_wakes_the_panel_for_its_time)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		begin(firmware);
		sleep_for(60);
		push(false, true);
		bed_run(bed, 4 * S);
		assert_screen(PLAYBACK_PUSH);
		assert_int_equal(bed->panel.brightness, 60);
		bed_run(bed, 15 * S);
		assert_int_equal(bed->panel.brightness, 0);
		assert_screen(PLAYBACK_PUSH); /* in the dark: no other picture was sent */
		bed_run(bed, HOUR);
		assert_screen(PLAYBACK_INSTALLATION);
		assert_int_equal(bed->panel.brightness, 60);
	}
}

SCENE(a_push_that_wakes_ends_with_the_night_entry)
{
	begin(FIRMWARE_16);
	bed->content.night_position = other;
	bed->content.night_brightness = 3;
	bed->content.settings.sleep_enabled = true;
	bed_update(bed);
	bed_run(bed, MINUTE);
	assert_int_equal(bed->panel.brightness, 3);
	push(false, true);
	bed_run(bed, 5 * S);
	assert_screen(PLAYBACK_PUSH);
	assert_int_equal(bed->panel.brightness, 60);
	bed_run(bed, 10 * S);
	assert_int_equal(bed_screen(bed).position, other);
	assert_int_equal(bed->panel.brightness, 3);
}

SCENE(other_pushes_wait_and_brightness_0_stays_dark)
{
	begin(FIRMWARE_16);
	sleep_for(60);
	push(true, false);
	bed_run(bed, MINUTE);
	assert_int_equal(bed->panel.brightness, 0);
	push(true, true);
	bed_run(bed, MINUTE);
	assert_int_equal(bed->panel.brightness, 60);
	bed_run(bed, 20 * MINUTE);
	assert_int_equal(bed->panel.brightness, 60);
	assert_screen(PLAYBACK_PUSH);
	bed->content.settings.brightness = 0;
	bed_update(bed);
	bed_run(bed, MINUTE);
	assert_int_equal(bed->panel.brightness, 0);
}

static void set_end(int64_t position, int64_t in_ms)
{
	content_at(&bed->content, position)->expires_us = wall_us() + in_ms * 1000;
	bed->content.has_ends = true;
	bed_update(bed);
}

SCENE(an_entry_that_expires_goes_at_once)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		begin(firmware);
		while (bed_screen(bed).position != one)
			bed_run(bed, S);
		set_end(one, 3 * S);
		bed_run(bed, 2 * S);
		assert_int_equal(bed_screen(bed).position, one);
		bed_run(bed, 3 * S);
		for (int i = 0; i < 60; i++) {
			assert_int_equal(bed_screen(bed).position, other);
			bed_run(bed, S);
		}
		set_end(other, 0);
		bed_run(bed, 3 * S);
		assert_screen(PLAYBACK_BUILT_IN);
	}
}

SCENE(a_pinned_night_or_held_entry_expires)
{
	begin(FIRMWARE_16);
	bed->content.pinned_position = one;
	set_end(one, MINUTE);
	bed_run(bed, 30 * S);
	assert_int_equal(bed_screen(bed).position, one);
	bed_run(bed, 35 * S);
	assert_int_equal(bed_screen(bed).position, other);
	begin(FIRMWARE_16);
	bed->content.night_position = one;
	bed->content.night_brightness = 3;
	bed->content.settings.sleep_enabled = true;
	set_end(one, MINUTE);
	bed_run(bed, 30 * S);
	assert_int_equal(bed->panel.brightness, 3);
	bed_run(bed, 35 * S);
	assert_int_equal(bed->panel.brightness, 0);
	begin(FIRMWARE_16);
	bed_push_installation(bed, one);
	bed->content.push.is_held = true;
	set_end(one, MINUTE);
	bed_run(bed, 50 * S);
	assert_screen(PLAYBACK_PUSH);
	bed_run(bed, 15 * S);
	assert_screen(PLAYBACK_INSTALLATION);
	assert_int_equal(bed_screen(bed).position, other);
}

/* ---- panels that poll ---- */

static struct poll_cursor cursor;

static struct poll_answer poll(int64_t second)
{
	return poll_next(&cursor, &bed->content, wall_us() + second * 1000000);
}

static void begin_polls(void)
{
	begin(FIRMWARE_16);
	cursor = (struct poll_cursor){.position = -1};
}

SCENE(a_held_push_is_served_again_and_again)
{
	begin_polls();
	bed->content.push = (struct content_push){.generation = 100,
						  .is_held = true,
						  .installation_position = -1,
						  .picture = {.data = STR("webp")},
						  .duration_s = 15,
						  .created_us = wall_us()};
	for (int64_t second = 0; second < 3600; second += 15) {
		struct poll_answer answer = poll(second);

		assert_int_equal(answer.item.kind, PLAYBACK_PUSH);
		assert_int_equal(answer.dwell_s, 15);
	}
	bed->content.push = (struct content_push){0};
	assert_int_equal(poll(3600).item.kind, PLAYBACK_INSTALLATION);
}

SCENE(a_poll_in_the_sleep_window_gets_what_wakes)
{
	struct poll_answer answer;

	begin_polls();
	bed->content.settings.sleep_enabled = true; /* all day */
	assert_int_equal(poll(0).brightness, 0);
	bed->content.push = (struct content_push){.generation = 100,
						  .is_waking = true,
						  .installation_position = -1,
						  .picture = {.data = STR("webp")},
						  .duration_s = 30,
						  .created_us = wall_us()};
	answer = poll(0);
	assert_int_equal(answer.item.kind, PLAYBACK_PUSH);
	assert_int_equal(answer.brightness, 60);
	assert_int_equal(answer.dwell_s, 30);
	assert_true(answer.is_push_displayed);
	bed->content.push.displayed_us = wall_us();
	assert_int_equal(poll(30).brightness, 0);
}

SCENE(a_dwell_ends_when_the_entry_expires)
{
	begin_polls();
	content_at(&bed->content, one)->expires_us = wall_us() + 4 * INT64_C(1000000);
	bed->content.has_ends = true;
	assert_int_equal(poll(0).dwell_s, 4);
	for (int64_t second = 4; second < 100; second += 15)
		assert_int_equal(poll(second).item.position, other);
}

RUN_TESTS(NULL, NULL)

/* Rotations that are told to advance, and panels that are put to sleep or woken. */
#include "base/memory.h"
#include "domain/poll.h"
#include "playback_scene.h"

enum { S = 1000, MINUTE = 60 * 1000, HOUR = 60 * MINUTE };

static int64_t positions[3];

static void begin(int firmware)
{
	bed_init(bed, (enum firmware)firmware, 1);
	for (int i = 0; i < 3; i++)
		positions[i] = bed_add_installation(bed, 0);
	bed->content.settings.schedule_interval_s = 600;
	bed_connect(bed);
	bed_run(bed, 400 * S);
	assert_int_equal(bed_screen(bed).position, positions[0]);
}

static int64_t wall_us(void)
{
	return bed_clock(bed).wall_us;
}

static void turn(int count)
{
	bed->content.turn_count += count;
	bed->content.turned_us = wall_us();
	bed_update(bed);
	bed_run(bed, 3 * S);
}

SCENE(a_rotation_goes_on_at_once)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		begin(firmware);
		for (int i = 1; i < 10; i++) {
			turn(1);
			assert_int_equal(bed_screen(bed).position, positions[i % 3]);
		}
		bed_run(bed, 590 * S);
		assert_int_equal(bed_screen(bed).position, positions[0]);
		bed_run(bed, 20 * S);
		assert_int_equal(bed_screen(bed).position, positions[1]);
	}
}

SCENE(several_turns_at_once)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		begin(firmware);
		turn(2);
		assert_int_equal(bed_screen(bed).position, positions[2]);
		bed_run(bed, MINUTE);
		assert_int_equal(bed_screen(bed).position, positions[2]);
		turn(2);
		assert_int_equal(bed_screen(bed).position, positions[1]);
	}
}

SCENE(a_push_ends)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		begin(firmware);
		bed_push_temporary(bed, 45, 0);
		bed_run(bed, 3 * S);
		assert_int_equal(bed_screen(bed).kind, PLAYBACK_PUSH);
		turn(1);
		assert_int_equal(bed_screen(bed).position, positions[1]);
		bed_run(bed, MINUTE);
		assert_int_equal(bed_screen(bed).position, positions[1]);
	}
}

/* A load may bring a turn and a push together. */
SCENE(a_push_after_a_turn_has_its_time)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		begin(firmware);
		bed->content.turn_count++;
		bed->content.turned_us = wall_us();
		bed_run(bed, 1); /* no update: the load brings both */
		bed_push_temporary(bed, 45, 0);
		bed_run(bed, 3 * S);
		assert_int_equal(bed_screen(bed).kind, PLAYBACK_PUSH);
		bed_run(bed, 40 * S);
		assert_int_equal(bed_screen(bed).kind, PLAYBACK_PUSH);
		bed_run(bed, 10 * S);
		assert_int_equal(bed_screen(bed).position, positions[1]);
		turn(1);
		assert_int_equal(bed_screen(bed).position, positions[2]);
	}
}

SCENE(a_push_whose_picture_comes_late_has_its_time)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		begin(firmware);
		bed->content.turn_count++;
		bed->content.turned_us = wall_us();
		bed->is_out_of_memory = true;
		bed_push_temporary(bed, 45, 0);
		bed_run(bed, S);
		bed->is_out_of_memory = false;
		bed_run(bed, 40 * S);
		assert_int_equal(bed_screen(bed).kind, PLAYBACK_PUSH);
	}
}

/* The push ends before the panel has it, even for a later connection. */
SCENE(a_push_before_a_turn_is_over)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		begin(firmware);
		bed->content.turn_count++;
		bed->content.turned_us = wall_us() + 1000;
		bed_push_temporary(bed, 45, 0);
		bed_run(bed, 3 * S);
		assert_int_equal(bed_screen(bed).position, positions[1]);
		assert_int_equal(bed->pushes_displayed, 0);
		bed_disconnect(bed);
		bed_connect(bed);
		bed_run(bed, 50 * S);
		assert_int_not_equal(bed_screen(bed).kind, PLAYBACK_PUSH);
		assert_int_equal(bed->pushes_displayed, 0);
	}
}

SCENE(a_push_that_a_turn_has_ended_does_not_come_back)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		begin(firmware);
		bed_push_temporary(bed, 600, 0);
		bed_run(bed, 3 * S);
		assert_int_equal(bed_screen(bed).kind, PLAYBACK_PUSH);
		turn(1);
		bed_disconnect(bed);
		bed_connect(bed);
		bed_run(bed, 400 * S);
		assert_int_not_equal(bed_screen(bed).kind, PLAYBACK_PUSH);
	}
}

SCENE(a_held_push_before_a_turn_stays)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		begin(firmware);
		bed->content.turn_count++;
		bed->content.turned_us = wall_us() + 1000;
		bed_push_temporary(bed, 10, 0);
		bed->content.push.is_held = true;
		bed_update(bed);
		bed_run(bed, MINUTE);
		assert_int_equal(bed_screen(bed).kind, PLAYBACK_PUSH);
	}
}

/* The panel stays asleep, and the push waits for the end of the night. */
SCENE(a_push_waits_for_the_morning_whatever_turns_come)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		int minute;

		begin(firmware);
		minute = local_time_at(NULL, wall_us()).second / 60;
		bed->content.settings.sleep_enabled = true;
		bed->content.settings.sleep_start_minute = (int16_t)minute;
		bed->content.settings.sleep_end_minute = (int16_t)(minute + 10);
		bed_update(bed);
		bed_push_temporary(bed, 45, 0);
		bed_run(bed, MINUTE);
		turn(1);
		assert_int_equal(bed->pushes_displayed, 0);
		bed_run(bed, 10 * MINUTE);
		assert_int_equal(bed->pushes_displayed, 1);
		bed_push_temporary(bed, 45, 0);
		bed_run(bed, 3 * S);
		assert_int_equal(bed_screen(bed).kind, PLAYBACK_PUSH);
	}
}

SCENE(what_is_alone_stays)
{
	begin(FIRMWARE_16);
	bed->content.pinned_position = positions[1];
	turn(1);
	assert_int_equal(bed_screen(bed).position, positions[1]);
	bed->content.pinned_position = 0;
	bed_update(bed);
	bed_run(bed, MINUTE);
	assert_int_equal(bed_screen(bed).position, positions[1]);
	begin(FIRMWARE_16);
	bed->content.settings.sleep_enabled = true; /* all day */
	turn(1);
	bed->content.settings.sleep_enabled = false;
	bed_update(bed);
	bed_run(bed, 3 * S);
	assert_int_equal(bed_screen(bed).position, positions[0]);
	begin(FIRMWARE_16);
	bed_push_temporary(bed, 10, 0);
	bed->content.push.is_held = true;
	bed_update(bed);
	bed_run(bed, MINUTE);
	turn(1);
	bed_run(bed, MINUTE);
	assert_int_equal(bed_screen(bed).kind, PLAYBACK_PUSH);
}

SCENE(a_turn_before_the_connection_is_over)
{
	begin(FIRMWARE_16);
	bed_disconnect(bed);
	bed->content.turn_count++;
	bed_connect(bed);
	bed_run(bed, MINUTE);
	assert_int_equal(bed_screen(bed).position, positions[0]);
}

SCENE(a_picture_out_of_memory_is_tried_again)
{
	begin(FIRMWARE_16);
	bed->is_out_of_memory = true;
	turn(1);
	assert_int_equal(bed_screen(bed).position, positions[0]);
	bed->is_out_of_memory = false;
	bed_run(bed, 10 * S);
	assert_int_equal(bed_screen(bed).position, positions[1]);
}

/* ---- panels that poll ---- */

static struct poll_cursor cursor;

static struct playback_item poll(void)
{
	bed_run(bed, S);
	return poll_next(&cursor, &bed->content, wall_us()).item;
}

/* Begins polls while the clock of the database is ahead by this time. */
static void begin_polls(int64_t ahead_ms)
{
	begin(FIRMWARE_16);
	bed_disconnect(bed);
	bed->content.turn_count = 5;
	bed->content.turned_us = wall_us() + ahead_ms * 1000;
	cursor = (struct poll_cursor){.position = -1, .turns_seen = -1};
	assert_int_equal(poll().position, positions[0]);
	assert_true(cursor.remaining_s > 0);
	assert_int_equal(poll().position, positions[0]);
}

static const int64_t clocks_ms[] = {0, HOUR, -HOUR};

SCENE(a_poll_drops_the_rest)
{
	for (unsigned i = 0; i < array_length(clocks_ms); i++) {
		begin_polls(clocks_ms[i]);
		for (unsigned j = 1; j < 10; j++) {
			bed->content.turn_count++;
			bed->content.turned_us = wall_us() + clocks_ms[i] * 1000;
			assert_int_equal(poll().position, positions[j % 3]);
			assert_int_equal(poll().position, positions[j % 3]);
		}
		bed->content.turn_count += 2;
		assert_int_equal(poll().position, positions[2]);
		assert_int_equal(poll().position, positions[2]);
	}
}

SCENE(a_poll_knows_the_turn_from_other_workers)
{
	begin_polls(0);
	bed->content.turn_count++;
	assert_int_equal(poll().position, positions[1]);
	/* A worker that has not loaded the turn yet. */
	bed->content.turn_count--;
	assert_int_equal(poll().position, positions[1]);
	bed->content.turn_count++;
	assert_int_equal(poll().position, positions[1]);
}

SCENE(a_poll_gets_a_push_after_a_turn_but_none_before)
{
	begin_polls(0);
	bed->content.turn_count++;
	bed->content.turned_us = wall_us();
	bed_push_temporary(bed, 2, 0);
	assert_int_equal(poll().kind, PLAYBACK_PUSH);
	assert_int_equal(poll().position, positions[1]);
	bed_push_temporary(bed, 2, 0);
	bed->content.turn_count++;
	bed->content.turned_us = wall_us() + 1000;
	assert_int_equal(poll().position, positions[2]);
	assert_int_equal(poll().position, positions[2]);
}

SCENE(polls_in_the_night_use_turns_up)
{
	begin_polls(0);
	bed->content.settings.sleep_enabled = true; /* all day */
	bed->content.turn_count++;
	assert_int_equal(poll().kind, PLAYBACK_BUILT_IN);
	bed->content.settings.sleep_enabled = false;
	assert_int_equal(poll().position, positions[0]);
}

static void set_sleep(bool is_asleep, int64_t for_ms)
{
	bed->content.settings.sleep_set =
	    (struct sleep_setting){.is_set = true,
				   .is_asleep = is_asleep,
				   .until_us = for_ms ? wall_us() + for_ms * 1000 : 0};
	bed_update(bed);
	bed_run(bed, 3 * S);
}

SCENE(a_panel_sleeps_and_wakes_as_it_is_set)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		begin(firmware);
		set_sleep(true, 10 * MINUTE);
		assert_int_equal(bed->panel.brightness, 0);
		bed_run(bed, 9 * MINUTE);
		assert_int_equal(bed->panel.brightness, 0);
		bed_run(bed, MINUTE);
		assert_int_equal(bed->panel.brightness, 60);
		bed->content.settings.sleep_enabled = true; /* all day */
		bed_update(bed);
		bed_run(bed, 3 * S);
		assert_int_equal(bed->panel.brightness, 0);
		set_sleep(false, 10 * MINUTE);
		assert_int_equal(bed->panel.brightness, 60);
		bed_run(bed, 10 * MINUTE);
		assert_int_equal(bed->panel.brightness, 0);
		bed->content.settings.sleep_enabled = false;
		set_sleep(true, 0);
		bed_run(bed, 48 * HOUR);
		assert_int_equal(bed->panel.brightness, 0);
	}
}

RUN_TESTS(NULL, NULL)

/* Devices that follow another one: its turns, and what they keep of their own. */
#include "base/memory.h"
#include "domain/following.h"
#include "domain/poll.h"
#include "playback_scene.h"

enum { S = 1000, COUNT = 3 };

static int64_t positions[COUNT];

static int64_t wall_us(void)
{
	return bed_clock(bed).wall_us;
}

static void begin(int firmware)
{
	bed_init(bed, (enum firmware)firmware, 1);
	for (int i = 0; i < COUNT; i++)
		positions[i] = bed_add_installation(bed, 0);
	bed_connect(bed);
}

/* The leader begins a turn of the entry now. */
static void lead(int64_t position)
{
	bed->content.tag = 7;
	bed->content.lead = (struct content_lead){
	    .position = position,
	    .since_us = wall_us(),
	    .until_us = wall_us() + INTERVAL_S * INT64_C(1000000),
	};
	bed_update(bed);
}

SCENE(a_follower_shows_each_turn_of_its_leader_at_once)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		begin(firmware);
		for (int i = 0; i < 100; i++) {
			int64_t position = positions[(i + i / 10) % COUNT];

			lead(position);
			bed_run(bed, 1 * S);
			assert_int_equal(bed_screen(bed).position, position);
			/* Turns of any length, some longer than an interval. */
			bed_run(bed, 5 * S + (int64_t)bed_random(bed, 7 * S));
			assert_int_equal(bed_screen(bed).position, position);
		}
	}
}

SCENE(a_follower_without_news_goes_on_by_itself)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		begin(firmware);
		lead(positions[1]);
		bed_run(bed, (INTERVAL_S + 5) * S);
		assert_int_equal(bed_screen(bed).position, positions[2]);
	}
}

SCENE(a_push_stays_for_its_time)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		begin(firmware);
		lead(positions[0]);
		bed_run(bed, 2 * S);
		bed_push_temporary(bed, 40, 0);
		bed_run(bed, 2 * S);
		assert_int_equal(bed_screen(bed).kind, PLAYBACK_PUSH);
		lead(positions[1]);
		bed_run(bed, 20 * S);
		assert_int_equal(bed_screen(bed).kind, PLAYBACK_PUSH);
	}
}

SCENE(pictures_of_another_device_are_replaced_at_once)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		begin(firmware);
		bed_run(bed, 40 * S);
		/* Another leader, whose entries have the same numbers. */
		for (uint16_t tag = 1; tag < 5; tag++) {
			unsigned sent = bed->immediates_sent + bed->pictures_sent;

			bed->content.tag = tag;
			bed_update(bed);
			bed_run(bed, 2 * S);
			assert_true(bed->immediates_sent + bed->pictures_sent > sent);
			assert_int_equal(bed_screen(bed).position, positions[0]);
			bed_run(bed, 10 * INTERVAL_S * S);
		}
	}
}

SCENE(the_time_of_day_gives_turns)
{
	int64_t last_us = 0;

	begin(FIRMWARE_14);
	for (int i = 0; i < 200; i++) {
		int64_t now_us = INT64_C(1700000000) * 1000000 + i * INT64_C(700000);
		struct content_lead turn = following_turn(&bed->content, now_us);

		assert_true(turn.position > 0);
		assert_true(turn.since_us <= now_us && now_us < turn.until_us);
		assert_int_equal(turn.until_us - turn.since_us, INTERVAL_S * INT64_C(1000000));
		assert_true(turn.since_us == last_us || turn.since_us - last_us >= 0);
		last_us = turn.since_us;
	}
	bed->content.installation_count = 0;
	assert_int_equal(following_turn(&bed->content, wall_us()).position, 0);
}

SCENE(what_a_follower_keeps)
{
	struct content own = {.settings = {.brightness = 5, .dim_brightness = 2}};
	struct follower_options options = {.tag = 9};
	struct content shown;

	begin(FIRMWARE_14);
	shown = following_content(&bed->content, &own, options, wall_us());
	assert_int_equal(shown.settings.brightness, bed->content.settings.brightness);
	assert_int_equal(shown.installation_count, COUNT);
	options.own_brightness = true;
	own.settings.sleep_enabled = true;
	shown = following_content(&bed->content, &own, options, wall_us());
	assert_int_equal(shown.settings.brightness, 5);
	assert_false(shown.settings.sleep_enabled);
	options.own_sleep = true;
	shown = following_content(&bed->content, &own, options, wall_us());
	assert_true(shown.settings.sleep_enabled);
}

/* A window of the leader's plan leaves what the follower has of its own. */
SCENE(a_plan_of_the_leader)
{
	static const struct plan plan = {
	    .count = 1,
	    .windows = {{.says_dark = true,
			 .is_dark = true,
			 .brightness_rule = PLAN_BRIGHTNESS_SET,
			 .brightness = 70,
			 .interval_s = 99,
			 .color_filter = COLOR_FILTER_INHERIT}},
	};
	struct content own = {.settings = {.brightness = 5}};
	struct follower_options options = {.tag = 9};
	struct display_level level;
	struct content shown;

	begin(FIRMWARE_14);
	bed->content.settings.plan = &plan; /* from 00:00 to 00:00, each day */
	shown = following_content(&bed->content, &own, options, wall_us());
	level = display_level_at(&shown.settings, wall_us());
	assert_true(level.is_asleep && level.awake_brightness == 70 && level.interval_s == 99);
	options.own_brightness = options.own_sleep = true;
	shown = following_content(&bed->content, &own, options, wall_us());
	level = display_level_at(&shown.settings, wall_us());
	assert_true(!level.is_asleep && level.brightness == 5 && level.interval_s == 99);
}

/* A push to the follower and one to the leader: the newer one is shown. */
SCENE(pushes_to_both)
{
	struct content own = {.settings = {.schedule_interval_s = INTERVAL_S}};
	struct follower_options options = {.tag = 9};
	struct content shown;

	begin(FIRMWARE_14);
	bed_run(bed, 1 * S);
	bed->content.push = (struct content_push){.generation = 4,
						  .duration_s = 30,
						  .created_us = wall_us(),
						  .installation_position = -1};
	own.push = (struct content_push){.generation = 4,
					 .duration_s = 30,
					 .created_us = wall_us() + 1,
					 .installation_position = -1};
	shown = following_content(&bed->content, &own, options, wall_us() + 2);
	assert_int_equal(shown.push.generation, 4);
	own.push.created_us = wall_us() - 1;
	shown = following_content(&bed->content, &own, options, wall_us() + 2);
	assert_int_equal(shown.push.generation, (INT64_C(9) << CONTENT_TAG_SHIFT) + 4);
	assert_true(content_push_is_after(shown.push.generation, 4));
	assert_true(content_push_is_after(4, shown.push.generation));
	assert_false(content_push_is_after(3, 4));
}

SCENE(polls_get_the_entry_of_the_leader)
{
	struct poll_cursor cursor = {.position = -1, .turns_seen = -1};
	struct poll_answer answer;

	begin(FIRMWARE_14);
	for (int i = 0; i < 20; i++) {
		int64_t position = positions[i % 2 * 2];

		lead(position);
		bed_run(bed, 3 * S);
		answer = poll_next(&cursor, &bed->content, wall_us());
		assert_int_equal(answer.item.position, position);
		assert_in_range(answer.dwell_s, INTERVAL_S - 4, INTERVAL_S - 2);
		bed_run(bed, (INTERVAL_S - 4) * S);
		answer = poll_next(&cursor, &bed->content, wall_us());
		assert_int_not_equal(answer.item.position, position);
		bed_run(bed, 2 * S);
	}
}

RUN_TESTS(NULL, NULL)

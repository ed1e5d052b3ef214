#include "base/zones.h"
#include "domain/poll.h"

#include "../cmocka_test.h"

static const int64_t start_us = INT64_C(1795176000) * 1000000;

static struct content_installation installations[3];
static struct content content;
static struct poll_cursor cursor;

static int set_up(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++)
		installations[i] = (struct content_installation){.position = 10 * (i + 1),
								 .picture_generation = 10 * (i + 1),
								 .picture = {.data = STR("webp")}};
	content = (struct content){
	    .settings = {.brightness = 60, .schedule_interval_s = 20},
	    .installations = installations,
	    .installation_count = 3,
	};
	cursor = (struct poll_cursor){.position = -1};
	return 0;
}

static struct poll_answer next_at(int64_t second)
{
	struct poll_answer answer = poll_next(&cursor, &content, start_us + second * 1000000);

	assert_in_range(answer.dwell_s, 1, POLL_DWELL_MAX_S);
	return answer;
}

static void push_temporary(int64_t generation, int32_t duration_s, int64_t second)
{
	content.push = (struct content_push){.generation = generation,
					     .installation_position = -1,
					     .picture = {.data = STR("webp")},
					     .duration_s = duration_s,
					     .created_us = start_us + second * 1000000};
}

TEST_IN(rotation_in_order, set_up, NULL)
{
	for (unsigned i = 0; i < 9; i++) {
		struct poll_answer answer = next_at(i);

		assert_int_equal(answer.item.kind, PLAYBACK_INSTALLATION);
		assert_int_equal(answer.item.position, 10 * (i % 3 + 1));
		assert_int_equal(answer.dwell_s, 20);
		assert_int_equal(answer.brightness, 60);
	}
}

TEST_IN(nothing_to_show, set_up, NULL)
{
	content.installation_count = 0;
	assert_int_equal(next_at(0).item.kind, PLAYBACK_BUILT_IN);
	assert_int_equal(cursor.position, -1);
}

TEST_IN(long_interval_is_served_in_parts, set_up, NULL)
{
	static const int32_t intervals[] = {299, 300, 598, 599, 3600, 86400};

	for (unsigned i = 0; i < 6; i++) {
		int64_t sum_s = 0;
		int64_t position;

		cursor = (struct poll_cursor){.position = -1};
		content.settings.schedule_interval_s = intervals[i];
		position = next_at(0).item.position;
		assert_int_equal(position, 10);
		cursor = (struct poll_cursor){.position = -1};
		for (;;) {
			struct poll_answer answer = next_at(sum_s);

			if (answer.item.position != position)
				break;
			/* No part is very short. */
			assert_true(answer.dwell_s >= 149);
			sum_s += answer.dwell_s;
		}
		assert_int_equal(sum_s, intervals[i]);
	}
}

TEST_IN(shorter_interval_holds_for_the_rest, set_up, NULL)
{
	content.settings.schedule_interval_s = 86400;
	next_at(0);
	content.settings.schedule_interval_s = 15;
	assert_int_equal(next_at(1).dwell_s, 15);
	assert_int_equal(next_at(2).item.position, 20);
}

TEST_IN(push_is_next_and_once, set_up, NULL)
{
	struct poll_answer answer;

	next_at(0);
	push_temporary(40, 5, 1);
	answer = next_at(2);
	assert_int_equal(answer.item.kind, PLAYBACK_PUSH);
	assert_int_equal(answer.dwell_s, 5);
	assert_true(answer.is_push_displayed);
	content.push.displayed_us = start_us + 2000000;
	answer = next_at(3);
	assert_int_equal(answer.item.kind, PLAYBACK_INSTALLATION);
	assert_int_equal(answer.item.position, 20);
	assert_false(answer.is_push_displayed);
}

TEST_IN(newer_push_replaces_what_is_left, set_up, NULL)
{
	content.settings.schedule_interval_s = 1000;
	next_at(0);
	push_temporary(40, 45, 1);
	assert_int_equal(next_at(2).item.generation, 40);
	push_temporary(41, 5, 3);
	assert_int_equal(next_at(4).item.generation, 41);
	/* The rest of the first installation is skipped. */
	assert_int_equal(next_at(5).item.position, 20);
}

TEST_IN(pushed_installation_longer_than_one_answer, set_up, NULL)
{
	int64_t sum_s = 0;

	content.settings.schedule_interval_s = 700;
	content.push = (struct content_push){.generation = 40,
					     .is_installation = true,
					     .installation_position = 20,
					     .duration_s = 700,
					     .created_us = start_us};
	while (sum_s < 700) {
		struct poll_answer answer = next_at(sum_s);

		assert_int_equal(answer.item.kind, PLAYBACK_PUSH);
		assert_int_equal(answer.item.position, 20);
		content.push.displayed_us = start_us;
		sum_s += answer.dwell_s;
	}
	assert_int_equal(sum_s, 700);
	assert_int_equal(next_at(701).item.position, 10);
}

static void push_installation(int64_t position)
{
	content.push = (struct content_push){.generation = 40 + position,
					     .is_installation = true,
					     .installation_position = position,
					     .duration_s = 20,
					     .created_us = start_us};
}

/* Its first display is not followed by its turn in the rotation. */
TEST_IN(pushed_installation_that_is_next_is_passed_over, set_up, NULL)
{
	assert_int_equal(next_at(0).item.position, 10);
	push_installation(20);
	assert_int_equal(next_at(1).item.kind, PLAYBACK_PUSH);
	content.push.displayed_us = start_us + 1000000;
	assert_int_equal(next_at(21).item.position, 30);
	assert_int_equal(next_at(41).item.position, 10);
	assert_int_equal(next_at(61).item.position, 20);
}

TEST_IN(pushed_only_installation_is_served_on, set_up, NULL)
{
	content.installation_count = 1;
	push_installation(10);
	assert_int_equal(next_at(1).item.kind, PLAYBACK_PUSH);
	content.push.displayed_us = start_us + 1000000;
	assert_int_equal(next_at(21).item.kind, PLAYBACK_INSTALLATION);
	assert_int_equal(next_at(41).item.position, 10);
}

/* The replaced picture was not shown for its time, so its turn comes. */
TEST_IN(pushed_installation_that_was_replaced_keeps_its_turn, set_up, NULL)
{
	assert_int_equal(next_at(0).item.position, 10);
	push_installation(20);
	assert_int_equal(next_at(1).item.kind, PLAYBACK_PUSH);
	push_temporary(70, 5, 2);
	assert_int_equal(next_at(3).item.generation, 70);
	content.push.displayed_us = start_us + 3000000;
	assert_int_equal(next_at(8).item.position, 20);
}

TEST_IN(push_lapses_when_nobody_fetches_it, set_up, NULL)
{
	static const struct {
		int32_t interval_s, duration_s, lapse_s;
	} cases[] = {{15, 5, 60},     {30, 5, 60},	{31, 5, 62},	   {15, 60, 60},
		     {1000, 5, 2000}, {15, 3600, 3600}, {15, 86400, 86400}};

	for (unsigned i = 0; i < array_length(cases); i++) {
		content.settings.schedule_interval_s = cases[i].interval_s;
		push_temporary(40 + 2 * i, cases[i].duration_s, 0);
		assert_int_equal(next_at(cases[i].lapse_s - 1).item.kind, PLAYBACK_PUSH);
		push_temporary(41 + 2 * i, cases[i].duration_s, 0);
		assert_int_equal(next_at(cases[i].lapse_s).item.kind, PLAYBACK_INSTALLATION);
	}
}

TEST_IN(push_that_was_displayed_elsewhere_has_its_rest, set_up, NULL)
{
	push_temporary(40, 45, 0);
	content.push.displayed_us = start_us;
	assert_int_equal(next_at(40).dwell_s, 5);
	cursor.push_seen = 0;
	assert_int_equal(next_at(45).item.kind, PLAYBACK_INSTALLATION);
}

TEST_IN(deleted_installations, set_up, NULL)
{
	content.settings.schedule_interval_s = 1000;
	assert_int_equal(next_at(0).item.position, 10);
	/* The first entry is removed while it is served in parts. */
	installations[0] = installations[1];
	installations[1] = installations[2];
	content.installation_count = 2;
	assert_int_equal(next_at(1).item.position, 20);
	content.push = (struct content_push){.generation = 40,
					     .is_installation = true,
					     .installation_position = -1,
					     .created_us = start_us};
	assert_int_equal(next_at(2).item.position, 20);
	content.installation_count = 0;
	assert_int_equal(next_at(3).item.kind, PLAYBACK_BUILT_IN);
}

TEST_IN(another_order_is_taken_behind_what_was_served, set_up, NULL)
{
	static const int64_t positions[] = {10, 20, 10, 30, 20, 10};
	struct content_installation last = installations[2];

	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(next_at(i).item.position, positions[i]);
	/* 20, 10, 30 */
	installations[0] = installations[1];
	installations[1] =
	    (struct content_installation){.position = 10, .picture = {.data = STR("webp")}};
	installations[2] = last;
	for (unsigned i = 2; i < 6; i++)
		assert_int_equal(next_at(i).item.position, positions[i]);
	/* If the last served entry is removed, the rotation continues somewhere. */
	installations[1] = last;
	content.installation_count = 2;
	assert_int_equal(next_at(6).item.position, 20);
}

TEST_IN(dark_panel_keeps_its_place, set_up, NULL)
{
	struct poll_answer answer;

	next_at(0);
	content.settings.brightness = 0;
	push_temporary(40, 45, 0);
	for (unsigned i = 0; i < 5; i++) {
		answer = next_at(i);
		assert_int_equal(answer.brightness, 0);
		assert_false(answer.is_push_displayed);
	}
	content.settings.brightness = 1;
	answer = next_at(10);
	assert_int_equal(answer.item.kind, PLAYBACK_PUSH);
	assert_int_equal(answer.brightness, 1);
	/* The panel polls again when the night ends, and before a push that wakes it expires. */
	content.settings.sleep_enabled = true;
	content.settings.sleep_start_minute = 12 * 60;
	content.settings.sleep_end_minute = 12 * 60 + 2;
	assert_int_equal(next_at(90).dwell_s, 30);
	assert_int_equal(next_at(120).item.position, 20);
	content.settings.sleep_end_minute = 13 * 60;
	assert_int_equal(next_at(20).dwell_s, 50);
}

/* ---- what owners set ---- */

static void sleep_for(int16_t start_minute, int16_t end_minute)
{
	content.settings.sleep_enabled = true;
	content.settings.sleep_start_minute = start_minute;
	content.settings.sleep_end_minute = end_minute;
}

TEST_IN(each_entry_has_its_time, set_up, NULL)
{
	installations[1].display_s = 5;
	installations[2].display_s = 400;
	assert_int_equal(next_at(0).dwell_s, 20);
	assert_int_equal(next_at(20).dwell_s, 5);
	assert_int_equal(next_at(25).dwell_s, 200);
	assert_int_equal(next_at(225).dwell_s, 200);
	assert_int_equal(next_at(425).item.position, 10);
	/* A shorter time applies to the rest. */
	assert_int_equal(next_at(445).item.position, 20);
	assert_int_equal(next_at(450).item.position, 30);
	installations[2].display_s = 30;
	assert_int_equal(next_at(650).dwell_s, 30);
	assert_int_equal(next_at(680).item.position, 10);
}

TEST_IN(entries_come_and_go_with_their_hours, set_up, NULL)
{
	installations[1].schedule =
	    (struct schedule){.has_hours = true, .start_minute = 721, .end_minute = 722};
	assert_int_equal(next_at(0).item.position, 10);
	assert_int_equal(next_at(20).item.position, 30);
	assert_int_equal(next_at(40).item.position, 10);
	assert_int_equal(next_at(60).item.position, 20);
	assert_int_equal(next_at(80).item.position, 30);
	assert_int_equal(next_at(100).item.position, 10);
	assert_int_equal(next_at(120).item.position, 30);
}

/* The panel polls again at the end of the hours. */
TEST_IN(dwell_ends_with_the_hours, set_up, NULL)
{
	struct poll_answer answer;

	content.settings.schedule_interval_s = 3600; /* 13 answers */
	installations[0].schedule =
	    (struct schedule){.has_hours = true, .start_minute = 700, .end_minute = 721};
	assert_int_equal(next_at(-30).dwell_s, 90);
	answer = next_at(60);
	assert_int_equal(answer.item.position, 20);
	assert_int_equal(answer.dwell_s, 277);
	/* No entry is shown now, but one will be. */
	installations[1].is_disabled = installations[2].is_disabled = true;
	installations[0].schedule.start_minute = 725;
	installations[0].schedule.end_minute = 726;
	answer = next_at(280);
	assert_int_equal(answer.item.kind, PLAYBACK_BUILT_IN);
	assert_int_equal(answer.dwell_s, 15);
	answer = next_at(295);
	assert_int_equal(answer.item.kind, PLAYBACK_BUILT_IN);
	assert_int_equal(answer.dwell_s, 5);
	assert_int_equal(next_at(300).item.position, 10);
}

TEST_IN(dwell_ends_with_the_day, set_up, NULL)
{
	struct poll_answer answer;

	content.settings.schedule_interval_s = 200;
	content.settings.auto_dim = true;
	answer = next_at(9 * 3600 - 50); /* 21:00 */
	assert_int_equal(answer.dwell_s, 50);
	assert_int_equal(answer.brightness, 60);
	answer = next_at(9 * 3600);
	assert_int_equal(answer.item.position, 10);
	assert_int_equal(answer.dwell_s, 150);
	assert_int_equal(answer.brightness, 18);
	sleep_for(22 * 60, 7 * 60);
	assert_int_equal(next_at(10 * 3600 - 10).dwell_s, 10);
	assert_int_equal(next_at(10 * 3600).brightness, 0);
	/* Zagreb's clock goes from 3:00 to 2:00 at 01:00 UTC, 25 October 2026: 26 days back. */
	content.settings.zone = zones_find(STR("Europe/Zagreb"));
	sleep_for(2 * 60, 2 * 60 + 30);
	assert_int_equal(next_at(-27 * 86400 + 13 * 3600 - 20).dwell_s, 20);
	assert_int_equal(next_at(-27 * 86400 + 13 * 3600).brightness, 0);
}

TEST_IN(night_entry_alone, set_up, NULL)
{
	struct poll_answer answer;

	content.night_position = 30;
	content.night_brightness = 4;
	installations[2].is_disabled = true;
	sleep_for(12 * 60 + 1, 12 * 60 + 2);
	assert_int_equal(next_at(0).item.position, 10);
	assert_int_equal(next_at(50).dwell_s, 10);
	push_temporary(50, 45, 60);
	for (unsigned i = 0; i < 3; i++) {
		answer = next_at(60 + 20 * i);
		assert_int_equal(answer.item.position, 30);
		assert_int_equal(answer.brightness, 4);
		assert_int_equal(answer.dwell_s, 20);
		assert_false(answer.is_push_displayed);
	}
	/* A recent picture that was pushed meanwhile is shown now. */
	content.push.created_us = start_us + 100 * INT64_C(1000000);
	answer = next_at(120);
	assert_int_equal(answer.item.kind, PLAYBACK_PUSH);
	assert_int_equal(answer.brightness, 60);
	content.push.displayed_us = start_us + 120 * INT64_C(1000000);
	/* The rotation continues after the shown entry. */
	assert_int_equal(next_at(165).item.position, 10);
	/* A night entry without a picture has no effect. */
	content.night_position = -1;
	assert_int_equal(next_at(60).brightness, 0);
}

/* A push ends at the beginning of the night, and does not return afterwards. */
TEST_IN(night_ends_a_push, set_up, NULL)
{
	content.night_position = 30;
	content.night_brightness = 4;
	sleep_for(12 * 60 + 1, 12 * 60 + 2);
	push_temporary(50, 45, 50);
	assert_int_equal(next_at(50).dwell_s, 10);
	content.push.displayed_us = start_us + 50 * INT64_C(1000000);
	assert_int_equal(next_at(60).item.position, 30);
	assert_int_equal(next_at(120).item.kind, PLAYBACK_INSTALLATION);
}

TEST_IN(pinned_entry_alone, set_up, NULL)
{
	assert_int_equal(next_at(0).item.position, 10);
	content.pinned_position = 20;
	installations[1].is_disabled = true;
	installations[1].display_s = 400;
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(next_at(20 + 200 * i).item.position, 20);
	push_temporary(50, 5, 900);
	assert_int_equal(next_at(900).item.kind, PLAYBACK_PUSH);
	content.push.displayed_us = start_us + 900 * INT64_C(1000000);
	assert_int_equal(next_at(905).item.position, 20);
	/* Even if it was pushed itself. */
	push_installation(20);
	content.push.created_us = start_us + 910 * INT64_C(1000000);
	assert_int_equal(next_at(910).item.kind, PLAYBACK_PUSH);
	content.push.displayed_us = start_us + 910 * INT64_C(1000000);
	assert_int_equal(next_at(930).item.position, 20);
	content.pinned_position = -1;			  /* it has lost its picture */
	assert_int_equal(next_at(950).item.position, 30); /* the rotation continues */
	content.pinned_position = 10;
	assert_int_equal(next_at(990).item.position, 10);
}

TEST_IN(disabled_entries_are_shown_when_they_are_pushed, set_up, NULL)
{
	for (unsigned i = 0; i < 3; i++)
		installations[i].is_disabled = true;
	assert_int_equal(next_at(0).item.kind, PLAYBACK_BUILT_IN);
	push_installation(20);
	assert_int_equal(next_at(1).item.position, 20);
	content.push.displayed_us = start_us + 1000000;
	assert_int_equal(next_at(21).item.kind, PLAYBACK_BUILT_IN);
}

RUN_TESTS(NULL, NULL)

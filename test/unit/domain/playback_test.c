#include "base/memory.h"
#include "playback_scene.h"

static void assert_screen(enum playback_kind kind, int64_t position)
{
	struct playback_item item = bed_screen(bed);

	assert_int_equal(item.kind, kind);
	assert_int_equal(item.position, position);
}

/* Returns how long the picture number index from the end was on the screen. */
static int64_t shown_ms(unsigned from_end)
{
	const struct shown *shown = &bed->shown[bed->shown_count - 1 - from_end];

	return (shown->to_ms == INT64_MAX ? bed->now_ms : shown->to_ms) - shown->from_ms;
}

static void assert_about(int64_t ms, int64_t expected_ms, int64_t tolerance_ms)
{
	assert_in_range(ms, expected_ms - tolerance_ms, expected_ms + tolerance_ms);
}

static bool acknowledges(int firmware)
{
	return firmware < FIRMWARE_SILENT;
}

SCENE(built_in_picture_without_installations)
{
	bed_init(bed, FIRMWARE_14, 1);
	bed_connect(bed);
	bed_run(bed, 1000);
	assert_screen(PLAYBACK_BUILT_IN, -1);
	assert_int_equal(bed->panel.brightness, 60);
	assert_int_equal(bed->last_sent.number, 15);
	bed_run(bed, 3600 * 1000);
	assert_int_equal(bed->pictures_sent, 1); /* the panel loops it */
	assert_int_equal(bed->immediates_sent, 0);
	assert_int_equal(bed->brightness_sent, 0); /* it was sent with the picture */
}

SCENE(first_installation_replaces_built_in_at_once)
{
	int64_t installation;

	bed_init(bed, FIRMWARE_14, 1);
	bed_connect(bed);
	bed_run(bed, 3000);
	installation = bed_add_installation(bed, 0);
	bed_run(bed, 500);
	assert_screen(PLAYBACK_INSTALLATION, installation);
	bed_delete_installation(bed, installation);
	bed_run(bed, 500);
	assert_screen(PLAYBACK_BUILT_IN, -1);
}

SCENE(rotation_keeps_order_and_time)
{
	int64_t installations[3];

	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		bed_init(bed, (enum firmware)firmware, 2);
		for (unsigned i = 0; i < 3; i++)
			installations[i] = bed_add_installation(bed, 0);
		bed_connect(bed);
		bed_run(bed, 40 * INTERVAL_S * 1000);
		assert_in_range(bed->shown_count, 38, 44);
		for (unsigned i = 3; i + 1 < bed->shown_count; i++) {
			int64_t position = bed->shown[i].item.position;

			assert_int_equal(
			    position,
			    content_next(&bed->content, bed->shown[i - 1].item.position)->position);
			assert_about(bed->shown[i].to_ms - bed->shown[i].from_ms, INTERVAL_S * 1000,
				     1500);
		}
		assert_int_equal(bed->last_sent.number, INTERVAL_S);
		assert_true(installations[0] < installations[1] &&
			    installations[1] < installations[2]);
	}
}

SCENE(rotation_advances_on_displaying_only)
{
	int64_t first;

	bed_init(bed, FIRMWARE_14, 3);
	first = bed_add_installation(bed, 0);
	bed_add_installation(bed, 0);
	bed_connect(bed);
	bed_run(bed, 2000);
	assert_screen(PLAYBACK_INSTALLATION, first);
	/* The second picture waits in the panel. */
	assert_int_equal(bed->last_sent.item.position, first + 1);
	assert_int_equal(bed->playback.rotation_position, first);
	bed_run(bed, INTERVAL_S * 1000);
	assert_int_equal(bed->playback.rotation_position, first + 1);
}

SCENE(single_installation_is_sent_once)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		bed_init(bed, (enum firmware)firmware, 4);
		bed_add_installation(bed, 1300);
		bed_connect(bed);
		bed_run(bed, 60 * 1000);
		bed->pictures_sent = bed->immediates_sent = 0;
		bed_run(bed, 7200 * 1000);
		assert_int_equal(bed->pictures_sent, 0);
		assert_int_equal(bed->immediates_sent, 0);
	}
}

SCENE(push_is_shown_at_once_for_its_time)
{
	static const int64_t durations[] = {5, 10, 15, 30, 35, 40, 45};

	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		for (unsigned i = 0; i < 7; i++) {
			unsigned shown;

			bed_init(bed, (enum firmware)firmware, 5 + i);
			bed_add_installation(bed, 0);
			bed_add_installation(bed, 0);
			bed_connect(bed);
			bed_run(bed, 47 * 1000 + (int64_t)i * 2500);
			shown = bed->shown_count;
			bed_push_temporary(bed, durations[i], 0);
			bed_run(bed, 300);
			assert_screen(PLAYBACK_PUSH, -1);
			assert_int_equal(bed->shown_count, shown + 1);
			bed_run(bed, durations[i] * 1000 + 1500);
			assert_int_equal(bed_screen(bed).kind, PLAYBACK_INSTALLATION);
			assert_about(shown_ms(1), durations[i] * 1000, 1300);
			assert_int_equal(bed->pushes_displayed, 1);
			/* The rotation continues where it was. */
			assert_int_equal(
			    bed->shown[shown + 1].item.position,
			    content_next(&bed->content, bed->shown[shown - 1].item.position)
				->position);
			bed_run(bed, 300 * 1000);
			assert_int_equal(bed->pushes_displayed, 1);
		}
	}
}

/* The panel's dwell ends at the moment at which the push arrives: it takes the push by itself,
 * and then gets its "immediate". */
SCENE(push_taken_before_its_immediate_is_not_skipped)
{
	for (int64_t offset_ms = -300; offset_ms <= 300; offset_ms += 5) {
		bed_init(bed, FIRMWARE_16, (uint64_t)(offset_ms + 1000));
		bed_add_installation(bed, 0);
		bed_connect(bed);
		bed_run(bed, 20 * 1000);
		bed_run(bed,
			bed->shown[0].from_ms + 2 * INTERVAL_S * 1000 + offset_ms - bed->now_ms);
		bed_add_installation(bed, 0);
		bed_push_temporary(bed, 5, 0);
		bed_run(bed, 400);
		assert_screen(PLAYBACK_PUSH, -1);
		bed_run(bed, 10 * 1000);
		assert_int_equal(bed_screen(bed).kind, PLAYBACK_INSTALLATION);
		for (unsigned i = 0; i < bed->shown_count; i++) {
			if (bed->shown[i].item.kind == PLAYBACK_PUSH)
				assert_about(bed->shown[i].to_ms - bed->shown[i].from_ms, 5000,
					     1300);
		}
	}
}

SCENE(newer_push_replaces_and_the_old_one_stays_away)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		bed_init(bed, (enum firmware)firmware, 6);
		bed_add_installation(bed, 0);
		bed_connect(bed);
		bed_run(bed, 5000);
		bed_push_temporary(bed, 45, 0);
		bed_run(bed, 2000);
		bed_push_temporary(bed, 5, 0);
		bed_run(bed, 300);
		assert_int_equal(bed_screen(bed).generation, bed->content.push.generation);
		bed_run(bed, 7000);
		assert_int_equal(bed_screen(bed).kind, PLAYBACK_INSTALLATION);
		bed_run(bed, 60 * 1000);
		for (unsigned i = bed->shown_count - 1;
		     bed->shown[i].item.generation != bed->content.push.generation; i--)
			assert_int_equal(bed->shown[i].item.kind, PLAYBACK_INSTALLATION);
	}
}

SCENE(pushed_installation_stays_an_interval_then_keeps_its_place)
{
	int64_t installations[3];

	bed_init(bed, FIRMWARE_14, 7);
	for (unsigned i = 0; i < 3; i++)
		installations[i] = bed_add_installation(bed, 0);
	bed_connect(bed);
	bed_run(bed, 20 * 1000);
	assert_screen(PLAYBACK_INSTALLATION, installations[1]);
	bed_push_installation(bed, installations[0]);
	bed_run(bed, 500);
	assert_screen(PLAYBACK_PUSH, installations[0]);
	bed_run(bed, INTERVAL_S * 1000 + 1000);
	assert_screen(PLAYBACK_INSTALLATION, installations[2]);
	assert_about(shown_ms(1), INTERVAL_S * 1000, 1300);
	bed_run(bed, INTERVAL_S * 1000);
	assert_screen(PLAYBACK_INSTALLATION, installations[0]);
}

/* The pushed installation would be next: it is shown for one interval, not for two. */
SCENE(pushed_installation_that_is_next_is_shown_for_one_interval)
{
	int64_t installations[3];

	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		bed_init(bed, (enum firmware)firmware, 9);
		for (unsigned i = 0; i < 3; i++)
			installations[i] = bed_add_installation(bed, 0);
		bed_connect(bed);
		bed_run(bed, 20 * 1000);
		assert_screen(PLAYBACK_INSTALLATION, installations[1]);
		bed_push_installation(bed, installations[2]);
		bed_run(bed, 500);
		assert_int_equal(bed_screen(bed).position, installations[2]);
		bed_run(bed, INTERVAL_S * 1000 + 1000);
		assert_screen(PLAYBACK_INSTALLATION, installations[0]);
		assert_about(shown_ms(1), INTERVAL_S * 1000, 1300);
		bed_run(bed, INTERVAL_S * 1000);
		assert_screen(PLAYBACK_INSTALLATION, installations[1]);
		bed_run(bed, INTERVAL_S * 1000);
		assert_screen(PLAYBACK_INSTALLATION, installations[2]);
	}
}

SCENE(pushed_single_installation_is_not_sent_again)
{
	int64_t installation;

	bed_init(bed, FIRMWARE_14, 8);
	installation = bed_add_installation(bed, 0);
	bed_connect(bed);
	bed_run(bed, 5000);
	bed_push_installation(bed, installation);
	bed_run(bed, 500);
	assert_screen(PLAYBACK_PUSH, installation);
	bed->pictures_sent = 0;
	bed_run(bed, 600 * 1000);
	assert_int_equal(bed->pictures_sent, 0);
}

SCENE(replaced_in_background_appears_next_time)
{
	int64_t first;
	int64_t before;

	bed_init(bed, FIRMWARE_14, 9);
	first = bed_add_installation(bed, 0);
	bed_add_installation(bed, 0);
	bed_connect(bed);
	bed_run(bed, 5000);
	assert_screen(PLAYBACK_INSTALLATION, first);
	before = bed_screen(bed).picture_generation;
	bed->immediates_sent = 0;
	bed_replace_installation(bed, first, 0);
	bed_run(bed, 5000);
	assert_int_equal(bed_screen(bed).picture_generation, before);
	bed_run(bed, 6000 + INTERVAL_S * 1000 + 1000);
	bed_run(bed, 5000);
	assert_screen(PLAYBACK_INSTALLATION, first);
	assert_int_not_equal(bed_screen(bed).picture_generation, before);
	assert_int_equal(bed->immediates_sent, 0);
}

SCENE(background_replacement_of_single_installation_waits_for_its_turn)
{
	int64_t installation;
	unsigned shown;

	bed_init(bed, FIRMWARE_14, 10);
	installation = bed_add_installation(bed, 0);
	bed_connect(bed);
	bed_run(bed, 5000);
	shown = bed->shown_count;
	bed->immediates_sent = 0;
	bed_replace_installation(bed, installation, 0);
	bed_run(bed, 5000);
	assert_int_equal(bed->shown_count, shown);
	bed_run(bed, INTERVAL_S * 1000);
	assert_int_equal(bed->shown_count, shown + 1);
	assert_int_equal(bed->immediates_sent, 0);
}

/* The turns of an animation end with "immediate". If the panel had taken the picture by itself, the
 * next one replaces it at once: only an app's picture may, of an app that need not be shown whole.
 */
SCENE(newer_picture_of_an_app_is_sent_after_an_immediate)
{
	for (int kind = 0; kind < 3; kind++) {
		bool may_be_early = kind != 1, is_whole = kind == 2;
		int64_t position;

		bed_init(bed, FIRMWARE_14, 8);
		position = bed_add_installation(bed, 14000);
		bed->installations[0].may_be_early = may_be_early;
		bed->installations[0].is_whole = is_whole;
		bed_connect(bed);
		for (int picture = 0; picture < 2; picture++) {
			bed->immediates_sent = 0;
			bed_run(bed, 5000);
			bed_replace_installation(bed, position, 14000);
			while (bed_screen(bed).picture_generation != bed->generation)
				bed_run(bed, 1000);
		}
		assert_int_equal(bed->immediates_sent, 1);
		assert_int_equal(bed_screen(bed).picture_generation, bed->generation);
		bed->pictures_sent = 0;
		bed_replace_installation(bed, position, 14000);
		bed_run(bed, 1000);
		assert_int_equal(bed->pictures_sent, may_be_early && !is_whole);
		bed_run(bed, INTERVAL_S * 1000);
		assert_int_equal(bed->pictures_sent, 1);
		assert_int_equal(bed_screen(bed).picture_generation, bed->generation);
	}
}

SCENE(deleted_while_displayed_or_queued)
{
	int64_t installations[4];

	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		bed_init(bed, (enum firmware)firmware, 11);
		for (unsigned i = 0; i < 4; i++)
			installations[i] = bed_add_installation(bed, 0);
		bed_connect(bed);
		bed_run(bed, 5000);
		assert_screen(PLAYBACK_INSTALLATION, installations[0]);
		bed_delete_installation(bed, installations[1]); /* may be queued */
		bed_run(bed, 2000);
		assert_screen(PLAYBACK_INSTALLATION, installations[0]);
		bed_run(bed, INTERVAL_S * 1000);
		assert_screen(PLAYBACK_INSTALLATION, installations[2]);
		bed_delete_installation(bed, installations[2]);
		bed_run(bed, 500);
		assert_screen(PLAYBACK_INSTALLATION, installations[3]);
	}
}

SCENE(animations_are_not_cut_but_at_the_end_of_their_time)
{
	bed_init(bed, FIRMWARE_14, 12);
	bed_add_installation(bed, 4000); /* four loops are 16 s */
	bed_add_installation(bed, 0);
	bed_connect(bed);
	bed_run(bed, 100 * 1000);
	assert_about(shown_ms(shown_ms(1) > 15500 ? 1 : 2), 16000, 300);
	assert_int_equal(bed->immediates_sent, 0);

	/* Longer than its time: the next picture is hurried. */
	bed_init(bed, FIRMWARE_14, 13);
	bed_add_installation(bed, 40000);
	bed_add_installation(bed, 0);
	bed_connect(bed);
	bed_run(bed, 100 * 1000);
	for (unsigned i = 1; i + 1 < bed->shown_count; i++)
		assert_about(bed->shown[i].to_ms - bed->shown[i].from_ms, INTERVAL_S * 1000, 300);
	assert_true(bed->immediates_sent > 2);

	/* Two loops would be twice its time. */
	bed_init(bed, FIRMWARE_14, 14);
	bed_add_installation(bed, 14000);
	bed_add_installation(bed, 0);
	bed_connect(bed);
	bed_run(bed, 100 * 1000);
	for (unsigned i = 1; i + 1 < bed->shown_count; i++)
		assert_about(bed->shown[i].to_ms - bed->shown[i].from_ms, INTERVAL_S * 1000, 300);
}

SCENE(interval_beyond_what_the_link_can_say)
{
	for (int firmware = 0; firmware < FIRMWARE_SILENT; firmware++) {
		bed_init(bed, (enum firmware)firmware, 15);
		bed->content.settings.schedule_interval_s = 5000;
		bed_add_installation(bed, 0);
		bed_add_installation(bed, 0);
		bed_connect(bed);
		bed_run(bed, 40000 * 1000);
		assert_int_equal(bed->last_sent.number, 3600);
		for (unsigned i = 1; i + 1 < bed->shown_count; i++)
			assert_about(bed->shown[i].to_ms - bed->shown[i].from_ms, 5000 * 1000,
				     1500);
		assert_in_range(bed->shown_count, 8, 10);
	}
}

SCENE(shorter_interval_holds_at_once)
{
	int64_t first;

	bed_init(bed, FIRMWARE_14, 16);
	bed->content.settings.schedule_interval_s = 86400;
	first = bed_add_installation(bed, 0);
	bed_add_installation(bed, 0);
	bed_connect(bed);
	bed_run(bed, 1000 * 1000);
	assert_screen(PLAYBACK_INSTALLATION, first);
	bed->content.settings.schedule_interval_s = 15;
	bed_update(bed);
	bed_run(bed, 1000);
	assert_screen(PLAYBACK_INSTALLATION, first + 1);
}

/* ---- what owners set ---- */

/* Shows two entries to a panel, which displays the first one. */
static int64_t show_two(int firmware)
{
	int64_t first;

	bed_init(bed, (enum firmware)firmware, 31);
	first = bed_add_installation(bed, 0);
	bed_add_installation(bed, 0);
	bed_connect(bed);
	bed_run(bed, 1000);
	assert_screen(PLAYBACK_INSTALLATION, first);
	return first;
}

SCENE(each_entry_has_its_time)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		int64_t first = show_two(firmware);

		bed->installations[0].display_s = 40;
		bed->installations[1].display_s = 5;
		bed_update(bed);
		bed_run(bed, 600 * 1000);
		for (unsigned i = 2; i + 1 < bed->shown_count; i++)
			assert_about(bed->shown[i].to_ms - bed->shown[i].from_ms,
				     bed->shown[i].item.position == first ? 40000 : 5000, 1500);
	}
}

SCENE(whole_animation_stays_until_its_end)
{
	static const struct {
		uint32_t loop_ms;
		int32_t display_s;
		int64_t shown_ms;
	} cases[] = {
	    {40000, 0, 40000}, {39100, 0, 40000},  {70000, 0, 60000},
	    {40000, 5, 40000}, {40000, 50, 50000}, {70000, 90, 90000},
	};

	for (unsigned i = 0; i < array_length(cases); i++) {
		int64_t first = show_two(FIRMWARE_14);

		bed->installations[0].is_whole = true;
		bed->installations[0].display_s = cases[i].display_s;
		bed_replace_installation(bed, first, cases[i].loop_ms);
		bed_run(bed, 600 * 1000);
		for (unsigned j = 4; j + 1 < bed->shown_count; j++)
			assert_about(bed->shown[j].to_ms - bed->shown[j].from_ms,
				     bed->shown[j].item.position == first ? cases[i].shown_ms
									  : INTERVAL_S * 1000,
				     1500);
	}
}

SCENE(pinned_entry_alone_and_at_once)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		int64_t first = show_two(firmware);

		bed->installations[1].is_disabled = true;
		bed->content.pinned_position = first + 1;
		bed_update(bed);
		bed_run(bed, 500);
		assert_screen(PLAYBACK_INSTALLATION, first + 1);
		bed_run(bed, 20 * 1000);
		bed->pictures_sent = 0;
		bed_run(bed, 3600 * 1000);
		assert_int_equal(bed->pictures_sent, 0);
		assert_screen(PLAYBACK_INSTALLATION, first + 1);
		bed_push_temporary(bed, 5, 0);
		bed_run(bed, 500);
		assert_screen(PLAYBACK_PUSH, -1);
		bed_run(bed, 10 * 1000);
		assert_screen(PLAYBACK_INSTALLATION, first + 1);
		bed->content.pinned_position = 0;
		bed_update(bed);
		bed_run(bed, 500);
		assert_screen(PLAYBACK_INSTALLATION, first);
	}
}

SCENE(disabled_entry_goes_at_once)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		int64_t first = show_two(firmware);

		bed->installations[0].is_disabled = true;
		bed_update(bed);
		bed_run(bed, 500);
		assert_screen(PLAYBACK_INSTALLATION, first + 1);
		bed->installations[1].is_disabled = true;
		bed_update(bed);
		bed_run(bed, 500);
		assert_screen(PLAYBACK_BUILT_IN, -1);
		bed->installations[0].is_disabled = false;
		bed_update(bed);
		bed_run(bed, 500);
		assert_screen(PLAYBACK_INSTALLATION, first);
	}
}

/* The test bed's clock begins at 12:00 UTC on a Friday. */
SCENE(entries_come_and_go_with_their_hours)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		int64_t first = show_two(firmware);

		bed->content.settings.schedule_interval_s = 3600;
		bed->installations[0].schedule = (struct schedule){
		    .has_hours = true, .start_minute = 11 * 60, .end_minute = 12 * 60 + 7};
		bed->installations[1].schedule = (struct schedule){
		    .has_hours = true, .start_minute = 12 * 60 + 9, .end_minute = 13 * 60};
		bed_update(bed);
		bed_run(bed, 7 * 60 * 1000 - 1100);
		assert_screen(PLAYBACK_INSTALLATION, first);
		bed_run(bed, 700);
		assert_screen(PLAYBACK_BUILT_IN, -1);
		bed_run(bed, 2 * 60 * 1000 - 700);
		assert_screen(PLAYBACK_BUILT_IN, -1);
		bed_run(bed, 700);
		assert_screen(PLAYBACK_INSTALLATION, first + 1);
	}
}

static void sleep_from_to(int start_minute, int end_minute)
{
	bed->content.settings.sleep_enabled = true;
	bed->content.settings.sleep_start_minute = (int16_t)start_minute;
	bed->content.settings.sleep_end_minute = (int16_t)end_minute;
}

SCENE(night_entry_alone)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		int64_t first = show_two(firmware);

		sleep_from_to(12 * 60 + 2, 12 * 60 + 12);
		bed->content.night_position = first + 1;
		bed->content.installations[1].is_disabled = true;
		bed_update(bed);
		bed_run(bed, 119 * 1000 - 1000);
		assert_screen(PLAYBACK_INSTALLATION, first);
		assert_int_equal(bed->panel.brightness, 60);
		bed_run(bed, 2000);
		assert_screen(PLAYBACK_INSTALLATION, first + 1);
		assert_int_equal(bed->panel.brightness, 5);
		/* The push waits for the end of the night, but expires before it. */
		bed_push_temporary(bed, 5, 0);
		bed_run(bed, 598 * 1000);
		assert_screen(PLAYBACK_INSTALLATION, first + 1);
		assert_int_equal(bed->panel.brightness, 5);
		bed_run(bed, 2000);
		assert_screen(PLAYBACK_INSTALLATION, first);
		assert_int_equal(bed->panel.brightness, 60);
	}
}

SCENE(push_waits_for_the_end_of_the_night)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		int64_t first = show_two(firmware);

		sleep_from_to(11 * 60, 12 * 60 + 1);
		bed->content.night_position = first;
		bed_update(bed);
		bed_run(bed, 20 * 1000);
		bed_push_temporary(bed, 5, 0);
		bed_run(bed, 37 * 1000);
		assert_screen(PLAYBACK_INSTALLATION, first);
		bed_run(bed, 3000);
		assert_screen(PLAYBACK_PUSH, -1);
		assert_int_equal(bed->panel.brightness, 60);
	}
}

SCENE(night_ends_a_push)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		int64_t first = show_two(firmware);

		sleep_from_to(12 * 60 + 1, 13 * 60);
		bed->content.night_position = first;
		bed_update(bed);
		bed_run(bed, 50 * 1000);
		bed_push_temporary(bed, 45, 0);
		bed_run(bed, 1000);
		assert_screen(PLAYBACK_PUSH, -1);
		bed_run(bed, 9000);
		assert_screen(PLAYBACK_INSTALLATION, first);
		assert_int_equal(bed->panel.brightness, 5);
		bed_run(bed, 100 * 1000);
		assert_screen(PLAYBACK_INSTALLATION, first);
	}
}

SCENE(dark_panel_is_left_alone)
{
	bed_init(bed, FIRMWARE_14, 17);
	bed_add_installation(bed, 0);
	bed_add_installation(bed, 0);
	bed_connect(bed);
	bed_run(bed, 20 * 1000);
	bed->content.settings.brightness = 0;
	bed_update(bed);
	bed_run(bed, 500);
	assert_int_equal(bed->panel.brightness, 0);
	bed->pictures_sent = bed->immediates_sent = bed->brightness_sent = 0;
	bed_push_temporary(bed, 45, 0);
	bed_run(bed, 7200 * 1000);
	assert_int_equal(bed->pictures_sent + bed->immediates_sent + bed->brightness_sent, 0);
	bed->content.settings.brightness = 100;
	bed_update(bed);
	bed_run(bed, 500);
	assert_int_equal(bed->panel.brightness, 100);
	/* The push has expired; the rotation continues. */
	assert_int_equal(bed_screen(bed).kind, PLAYBACK_INSTALLATION);
	bed_run(bed, 60 * 1000);
	assert_int_equal(bed->pushes_displayed, 0);
	assert_int_equal(bed_screen(bed).kind, PLAYBACK_INSTALLATION);
	assert_about(shown_ms(1), INTERVAL_S * 1000, 1500);
}

SCENE(push_that_waits_in_the_dark_is_shown_within_its_time)
{
	bed_init(bed, FIRMWARE_14, 18);
	bed->content.settings.brightness = 0;
	bed_update(bed);
	bed_connect(bed);
	bed_push_temporary(bed, 10, 0);
	bed_run(bed, 50 * 1000);
	bed->content.settings.brightness = 5;
	bed_update(bed);
	bed_run(bed, 500);
	assert_screen(PLAYBACK_PUSH, -1);
}

SCENE(sleep_window_begins_and_ends)
{
	bed_init(bed, FIRMWARE_14, 19); /* at 12:00 */
	bed->content.settings.sleep_enabled = true;
	bed->content.settings.sleep_start_minute = 12 * 60 + 1;
	bed->content.settings.sleep_end_minute = 12 * 60 + 31;
	bed_add_installation(bed, 0);
	bed_add_installation(bed, 0);
	bed_connect(bed);
	bed_run(bed, 59 * 1000);
	assert_int_equal(bed->panel.brightness, 60);
	bed_run(bed, 1100);
	assert_int_equal(bed->panel.brightness, 0);
	bed->pictures_sent = 0;
	bed_run(bed, 1798 * 1000);
	assert_int_equal(bed->pictures_sent, 0);
	bed_run(bed, 2000);
	assert_int_equal(bed->panel.brightness, 60);
	assert_true(bed->pictures_sent > 0);
}

SCENE(push_again_after_reconnect_for_its_rest_only)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		bed_init(bed, (enum firmware)firmware, 20);
		bed_add_installation(bed, 0);
		bed_connect(bed);
		bed_run(bed, 5000);
		bed_push_temporary(bed, 30, 0);
		bed_run(bed, 10 * 1000);
		bed_disconnect(bed);
		bed_run(bed, 10 * 1000);
		bed_connect(bed);
		bed_run(bed, 500);
		assert_screen(PLAYBACK_PUSH, -1);
		assert_in_range(bed->last_sent.number, 9, 11);
		bed_run(bed, 12 * 1000);
		assert_int_equal(bed_screen(bed).kind, PLAYBACK_INSTALLATION);
		bed_disconnect(bed);
		bed_run(bed, 1000);
		bed_connect(bed);
		bed_run(bed, 60 * 1000);
		assert_int_equal(bed_screen(bed).kind, PLAYBACK_INSTALLATION);
		assert_int_equal(bed->pushes_displayed, 1);
	}
}

SCENE(lapsed_push_is_not_shown)
{
	for (int64_t wait_s = 50; wait_s <= 70; wait_s += 20) {
		bed_init(bed, FIRMWARE_14, 21);
		bed_add_installation(bed, 0);
		bed_connect(bed);
		bed_disconnect(bed);
		bed_push_temporary(bed, 45, 0);
		bed_run(bed, wait_s * 1000);
		bed_connect(bed);
		bed_run(bed, 500);
		assert_int_equal(bed_screen(bed).kind == PLAYBACK_PUSH, wait_s < 60);
	}
}

SCENE(rotation_goes_on_after_reconnect)
{
	int64_t first;

	bed_init(bed, FIRMWARE_14, 22);
	first = bed_add_installation(bed, 0);
	bed_add_installation(bed, 0);
	bed_add_installation(bed, 0);
	bed_connect(bed);
	bed_run(bed, 20 * 1000);
	assert_screen(PLAYBACK_INSTALLATION, first + 1);
	for (unsigned i = 0; i < 20; i++) {
		/* Queued and new pictures overlap. */
		bed_disconnect(bed);
		bed_run(bed, 200);
		bed_connect(bed);
		bed_run(bed, INTERVAL_S * 1000);
	}
	for (unsigned i = 2; i < bed->shown_count; i++) {
		int64_t before = bed->shown[i - 1].item.position;

		if (bed->shown[i].item.position != before)
			assert_int_equal(bed->shown[i].item.position,
					 content_next(&bed->content, before)->position);
	}
	assert_in_range(bed->shown_count, 15, 26);
}

SCENE(panel_that_loses_what_it_says_goes_on)
{
	for (int firmware = 0; firmware < FIRMWARE_SILENT; firmware++) {
		for (unsigned loss = 100; loss <= 1000; loss += 300) {
			unsigned shown;

			bed_init(bed, (enum firmware)firmware, 23 + loss);
			bed_add_installation(bed, 0);
			bed_add_installation(bed, 0);
			bed_add_installation(bed, 0);
			bed_connect(bed);
			bed_run(bed, 60 * 1000);
			bed->loss_per_mille = loss;
			shown = bed->shown_count;
			bed_run(bed, 3600 * 1000);
			/* Nothing is as punctual, but the rotation never stops. */
			assert_true(bed->shown_count - shown > 3600 / (4 * INTERVAL_S));
			bed->loss_per_mille = 0;
			bed_run(bed, 120 * 1000);
			assert_about(shown_ms(1), INTERVAL_S * 1000, 1500);
			assert_about(shown_ms(2), INTERVAL_S * 1000, 1500);
		}
	}
}

SCENE(picture_that_is_not_in_memory_is_asked_for_again)
{
	bed_init(bed, FIRMWARE_14, 24);
	bed_connect(bed);
	bed_run(bed, 1000);
	bed->is_out_of_memory = true;
	bed->content.settings.brightness = 40;
	bed_add_installation(bed, 0);
	assert_in_range(bed->wake_ms - bed->now_ms, 1, 10000);
	bed_run(bed, 3000);
	assert_screen(PLAYBACK_BUILT_IN, -1);
	assert_int_equal(bed->panel.brightness, 40); /* does not wait for it */
	bed->is_out_of_memory = false;
	bed_run(bed, 10000);
	assert_int_equal(bed_screen(bed).kind, PLAYBACK_INSTALLATION);
}

SCENE(many_pushes_at_once_end_with_the_newest)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		bed_init(bed, (enum firmware)firmware, 25);
		bed->latency_ms = 400;
		bed_add_installation(bed, 0);
		bed_add_installation(bed, 0);
		bed_connect(bed);
		bed_run(bed, 20 * 1000);
		for (unsigned i = 0; i < 40; i++) {
			bed_push_temporary(bed, 5, 0);
			bed_run(bed, 20);
		}
		bed_run(bed, 2000);
		assert_int_equal(bed_screen(bed).kind, PLAYBACK_PUSH);
		assert_int_equal(bed_screen(bed).generation, bed->content.push.generation);
		/* Messages of the panel are still understood. */
		bed_run(bed, 60 * 1000);
		assert_about(shown_ms(1), INTERVAL_S * 1000, 2500);
		if (acknowledges(firmware) && firmware != FIRMWARE_DISPLAYING_ONLY)
			assert_int_equal(bed->playback.displayed.position,
					 bed_screen(bed).position);
	}
}

SCENE(numbers_without_sense_are_ignored)
{
	static const int64_t numbers[] = {
	    INT64_MIN, -1, 0, 1, 2, INT32_MAX, 77, INT32_MAX + INT64_C(1), INT64_MAX};
	struct playback_output output = {0};

	bed_init(bed, FIRMWARE_14, 26);
	bed_add_installation(bed, 0);
	bed_add_installation(bed, 0);
	bed_connect(bed);
	bed_run(bed, 20 * 1000);
	for (unsigned i = 0; i < 81; i++) {
		playback_on_queued(&bed->playback, numbers[i % 9], bed_clock(bed));
		playback_on_displaying(&bed->playback, numbers[i / 9], &bed->content,
				       bed_clock(bed), &output);
		bed_update(bed);
		bed_run(bed, 100);
	}
	bed_run(bed, 3600 * 1000);
	/* A panel that has lied continues. */
	assert_true(bed->shown_count > 60);
}

/* A filter counts at once, also on a long turn, and the turn is still that of the same entry. */
SCENE(a_filter_counts_at_once)
{
	for (int firmware = 0; firmware < FIRMWARE_COUNT; firmware++) {
		int64_t first;

		bed_init(bed, (enum firmware)firmware, 27);
		bed->content.settings.schedule_interval_s = 3000;
		first = bed_add_installation(bed, 0);
		bed_add_installation(bed, 0);
		bed->installations[0].color_filter = COLOR_FILTER_INHERIT;
		bed_connect(bed);
		bed_run(bed,
			3100 * 1000); /* what the panel showed before may stay for five minutes */
		while (bed_screen(bed).position != first)
			bed_run(bed, 60 * 1000);
		bed->content.settings.color_filter = COLOR_FILTER_SEPIA;
		bed_update(bed);
		bed_run(bed, 5000);
		assert_screen(PLAYBACK_INSTALLATION, first);
		assert_int_equal(bed_screen(bed).look.filter, COLOR_FILTER_SEPIA);
	}
}

int main(void)
{
	return run_all_tests(NULL, NULL);
}

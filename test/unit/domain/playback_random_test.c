/* Thousands of random histories of a device, with every kind of panel. A quiet period follows
 * each disturbed one, and everything must be in order by its end. The first argument is the first
 * seed. */
#include "playback_bed.h"

#include "../cmocka_test.h"

#include <stdio.h>
#include <stdlib.h>

enum { LIVES = 5000, CHANGES = 40 };

static struct bed *bed;
static uint64_t first_seed = 1;

/* Whether the panel handles "immediate" and reports what it shows. */
static bool is_exact(void)
{
	return bed->loss_per_mille == 0 && bed->panel.firmware <= FIRMWARE_16;
}

static int64_t random_position(void)
{
	return bed->installations[bed_random(bed, bed->content.installation_count)].position;
}

static uint32_t random_loop(void)
{
	static const uint32_t loops[] = {0, 0, 0, 0, 100, 2300, 4000, 14500, 15000, 40000, 200000};

	return loops[bed_random(bed, 11)];
}

static void change_settings(void)
{
	struct display_settings *settings = &bed->content.settings;
	static const int32_t intervals[] = {15, 15, 16, 30, 60};

	switch (bed_random(bed, 4)) {
	case 0:
		settings->brightness = (int16_t)(bed_random(bed, 3) * 50);
		break;
	case 1:
		settings->schedule_interval_s = intervals[bed_random(bed, 5)];
		break;
	case 2:
		settings->auto_dim = !settings->auto_dim;
		break;
	default:
		settings->sleep_enabled = !settings->sleep_enabled;
		settings->sleep_start_minute = (int16_t)bed_random(bed, 1440);
		settings->sleep_end_minute =
		    (int16_t)((settings->sleep_start_minute + 1 + (int)bed_random(bed, 30)) % 1440);
	}
	bed_update(bed);
}

/* Returns a minute mostly near the current one, so that hours begin and end. */
static int16_t random_minute(void)
{
	int64_t minute = bed_clock(bed).wall_us / 1000000 / 60 % DAY_MINUTES;

	return (int16_t)((minute + (int64_t)bed_random(bed, 4)) % DAY_MINUTES);
}

static void change_options(void)
{
	struct content *content = &bed->content;
	struct content_installation *installation = content_at(content, random_position());

	switch (bed_random(bed, 6)) {
	case 0:
		installation->is_disabled = !installation->is_disabled;
		break;
	case 1:
		installation->display_s = bed_random(bed, 2) ? 0 : 5 + (int)bed_random(bed, 60);
		break;
	case 2:
		installation->schedule.has_hours = bed_random(bed, 3) > 0;
		installation->schedule.start_minute = random_minute();
		installation->schedule.end_minute = random_minute();
		installation->schedule.days_off = (uint8_t)(bed_random(bed, 2) << 4); /* Friday */
		break;
	case 3:
		installation->pins_itself = bed_random(bed, 4) == 0;
		break;
	case 4:
		content->pinned_position = bed_random(bed, 2) ? installation->position : 0;
		break;
	default:
		content->night_position = bed_random(bed, 2) ? installation->position : 0;
	}
	bed_update(bed);
}

static void reset_options(void)
{
	bed->content.pinned_position = bed->content.night_position = 0;
	for (unsigned i = 0; i < bed->content.installation_count; i++) {
		struct content_installation *installation = &bed->installations[i];

		installation->is_disabled = false;
		installation->display_s = 0;
		installation->pins_itself = false;
		installation->schedule = (struct schedule){0};
	}
}

static void reconnect(void)
{
	bed_disconnect(bed);
	bed_run(bed, (int64_t)bed_random(bed, 30 * 1000));
	bed_connect(bed);
}

static void change_something(void)
{
	static const int64_t durations[] = {5, 10, 15, 30, 35, 40, 45};
	bool has_installations = bed->content.installation_count > 0;
	int64_t duration_s, position;

	switch (bed_random(bed, 11)) {
	case 0:
	case 1:
		if (bed->content.installation_count < 8)
			bed_add_installation(bed, random_loop());
		break;
	case 2:
		if (has_installations)
			bed_delete_installation(bed, random_position());
		break;
	case 3:
		if (!has_installations)
			break;
		/* Separate calls: compilers may evaluate arguments in any order. */
		position = random_position();
		content_at(&bed->content, position)->may_be_early = position % 2;
		bed_replace_installation(bed, position, random_loop());
		break;
	case 4:
		if (has_installations)
			bed_push_installation(bed, random_position());
		break;
	case 5:
	case 6:
		duration_s = durations[bed_random(bed, 7)];
		bed_push_temporary(bed, duration_s, random_loop());
		break;
	case 7:
		change_settings();
		break;
	case 8:
		reconnect();
		break;
	default:
		if (has_installations)
			change_options();
	}
}

/* Checks that pushes are shown in order, and that a replaced one does not return. */
static void check_pushes(void)
{
	int64_t newest = 0;

	for (unsigned i = 0; i < bed->shown_count; i++) {
		const struct playback_item *item = &bed->shown[i].item;

		if (item->kind != PLAYBACK_PUSH)
			continue;
		assert_true(item->generation >= newest);
		newest = item->generation;
	}
}

/* Checks that a deleted picture leaves the screen soon, together with its record. */
static void check_screen_is_allowed(void)
{
	struct playback_item item = bed_screen(bed);

	if (item.kind == PLAYBACK_INSTALLATION)
		assert_non_null(content_at(&bed->content, item.position));
	if (item.kind == PLAYBACK_BUILT_IN)
		assert_int_equal(bed->content.installation_count, 0);
}

/* Checks that an undisturbed push is shown at once and for its time. */
static void check_push(void)
{
	int64_t duration_s = 5 + (int64_t)bed_random(bed, 2) * 25;
	unsigned count = bed->pushes_displayed;
	unsigned shown;

	bed_push_temporary(bed, duration_s, random_loop());
	bed_run(bed, 2 * bed->latency_ms + 10);
	assert_int_equal(bed_screen(bed).kind, PLAYBACK_PUSH);
	assert_int_equal(bed_screen(bed).generation, bed->content.push.generation);
	shown = bed->shown_count - 1;
	bed_run(bed, duration_s * 1000 - 1300 - 3 * (int64_t)bed->latency_ms);
	if (bed->panel.firmware != FIRMWARE_DISPLAYING_ONLY && bed->loss_per_mille == 0)
		assert_int_equal(bed->shown_count - 1, shown);
	if (is_exact())
		assert_int_equal(bed->pushes_displayed, count + 1);
}

/* Checks that the rotation keeps its order, with each installation shown for its time. */
static void check_rotation(void)
{
	int64_t interval_ms = bed->content.settings.schedule_interval_s * 1000;
	unsigned turns = 3 * bed->content.installation_count + 2;
	unsigned first;
	bool is_first = true;

	/* Pass the rest of the disturbed time: at most a repetition of the longest animation. */
	bed_run(bed, 3 * interval_ms + 2 * 200 * 1000);
	first = bed->shown_count;
	bed_run(bed, (int64_t)turns * interval_ms + 20000);
	if (bed->content.installation_count < 2) {
		assert_int_equal(bed->shown_count, first);
		return;
	}
	assert_in_range(bed->shown_count - first, turns / 2, turns + turns / 4 + 3);
	for (unsigned i = first; i < bed->shown_count; i++) {
		const struct shown *shown = &bed->shown[i];

		assert_int_equal(shown->item.kind, PLAYBACK_INSTALLATION);
		assert_int_equal(
		    shown->item.position,
		    content_next(&bed->content, bed->shown[i - 1].item.position)->position);
		if (is_exact() && !is_first && shown->to_ms != INT64_MAX)
			assert_in_range(shown->to_ms - shown->from_ms, interval_ms - 3000,
					interval_ms + 5500);
		is_first = false;
	}
}

static void check_quiet_time(void)
{
	struct display_settings *settings = &bed->content.settings;

	settings->sleep_enabled = settings->auto_dim = false;
	settings->brightness = 80;
	reset_options();
	if (!bed->is_connected)
		bed_connect(bed);
	bed_update(bed);
	/* longer than any push */
	bed_run(bed, 100 * 1000);
	assert_int_equal(bed->panel.brightness, 80);
	/* The picture of a reconnected panel is unknown until its first message: it may be at the
	 * start of a long animation. */
	if (bed->playback.has_spoken)
		check_screen_is_allowed();
	if (bed->panel.firmware != FIRMWARE_DISPLAYING_ONLY && bed->loss_per_mille == 0)
		check_rotation();
	check_push();
	bed_run(bed, 300 * 1000);
	assert_int_not_equal(bed_screen(bed).kind, PLAYBACK_PUSH);
	check_pushes();
}

static void live(uint64_t seed)
{
	bed_init(bed, (enum firmware)(seed % FIRMWARE_COUNT), seed);
	bed->seed = seed;
	bed->latency_ms = (unsigned)bed_random(bed, 3) * 40;
	if (bed_random(bed, 4) == 0)
		bed->loss_per_mille = 100;
	bed_connect(bed);
	for (unsigned i = 0; i < CHANGES; i++) {
		change_something();
		bed_run(bed, (int64_t)bed_random(bed, bed_random(bed, 2) ? 300 : 40 * 1000));
	}
	check_quiet_time();
}

/* Prints the seed of the failed history. */
static int tear_down(void **state)
{
	(void)state;
	print_message("last seed: %llu\n", (unsigned long long)bed->seed);
	bed_destroy(bed);
	return 0;
}

TEST_IN(everything_is_in_order_again, NULL, tear_down)
{
	for (uint64_t seed = first_seed; seed < first_seed + LIVES; seed++) {
		live(seed);
	}
}

int main(int argc, char **argv)
{
	if (argc > 1)
		first_seed = strtoull(argv[1], NULL, 10);
	bed = bed_create();
	return run_all_tests(NULL, NULL);
}

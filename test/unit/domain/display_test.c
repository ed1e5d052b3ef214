#include "base/zones.h"
#include "domain/display.h"

#include "../cmocka_test.h"

#include <time.h>

static struct display_settings settings(const char *zone)
{
	return (struct display_settings){
	    .brightness = 60,
	    .zone = zones_find(str_from(zone)),
	    .schedule_interval_s = 15,
	};
}

static int64_t utc(int year, int month, int day, int hour, int minute, int second)
{
	struct tm tm = {.tm_year = year - 1900,
			.tm_mon = month - 1,
			.tm_mday = day,
			.tm_hour = hour,
			.tm_min = minute,
			.tm_sec = second};

	return (int64_t)timegm(&tm) * 1000000;
}

static void sleep_from_to(struct display_settings *display, int16_t start, int16_t end)
{
	display->sleep_enabled = true;
	display->sleep_start_minute = start;
	display->sleep_end_minute = end;
}

static int level(const struct display_settings *display, int64_t wall_us)
{
	return display_level_at(display, wall_us).brightness;
}

TEST(window_within_a_day)
{
	struct display_settings display = settings("UTC");

	sleep_from_to(&display, 8 * 60, 9 * 60 + 30);
	assert_int_equal(level(&display, utc(2026, 5, 4, 7, 59, 59) + 999999), 60);
	assert_int_equal(level(&display, utc(2026, 5, 4, 8, 0, 0)), 0);
	assert_int_equal(level(&display, utc(2026, 5, 4, 9, 29, 59) + 999999), 0);
	assert_int_equal(level(&display, utc(2026, 5, 4, 9, 30, 0)), 60);
	display.sleep_enabled = false;
	assert_int_equal(level(&display, utc(2026, 5, 4, 8, 30, 0)), 60);
}

TEST(dimming_that_was_set)
{
	struct display_settings display = settings("UTC");
	int64_t noon = utc(2026, 5, 4, 12, 0, 0), until = noon + INT64_C(90) * 1000000;

	display.dim_brightness = 15;
	display.dim_set = (struct dim_setting){.is_set = true, .is_dimmed = true};
	assert_int_equal(level(&display, noon), 15);
	display.dim_set.until_us = until;
	assert_int_equal(level(&display, until - 1), 15);
	assert_int_equal(display_level_at(&display, noon).valid_until_us, until);
	assert_int_equal(level(&display, until), 60);
	display.brightness = 10;
	assert_int_equal(level(&display, noon), 10);
	/* Not dimmed, whatever the plan says, until then. */
	display.brightness = 60;
	display.dim_enabled = true;
	display.dim_start_minute = 11 * 60;
	display.sleep_end_minute = 13 * 60;
	display.dim_set.is_dimmed = false;
	assert_int_equal(level(&display, noon), 60);
	assert_int_equal(level(&display, until), 15);
	/* Sleep counts more. */
	display.dim_set.is_dimmed = true;
	display.sleep_set = (struct sleep_setting){.is_set = true, .is_asleep = true};
	assert_int_equal(level(&display, noon), 0);
}

TEST(window_across_midnight)
{
	struct display_settings display = settings("Europe/Zagreb"); /* UTC+2 in May */

	sleep_from_to(&display, 22 * 60, 7 * 60);
	assert_int_equal(level(&display, utc(2026, 5, 4, 19, 59, 59)), 60);
	assert_int_equal(level(&display, utc(2026, 5, 4, 20, 0, 0)), 0);
	assert_int_equal(level(&display, utc(2026, 5, 4, 22, 0, 0)), 0);
	assert_int_equal(level(&display, utc(2026, 5, 5, 4, 59, 59)), 0);
	assert_int_equal(level(&display, utc(2026, 5, 5, 5, 0, 0)), 60);
	sleep_from_to(&display, 23 * 60 + 59, 0);
	assert_int_equal(level(&display, utc(2026, 5, 4, 21, 58, 59)), 60);
	assert_int_equal(level(&display, utc(2026, 5, 4, 21, 59, 0)), 0);
	assert_int_equal(level(&display, utc(2026, 5, 4, 22, 0, 0)), 60);
}

TEST(equal_start_and_end_is_the_whole_day)
{
	struct display_settings display = settings("America/New_York");

	for (int16_t minute = 0; minute < 1440; minute = (int16_t)(minute + 360)) {
		sleep_from_to(&display, minute, minute);
		for (int hour = 0; hour < 24; hour++)
			assert_int_equal(level(&display, utc(2026, 11, 1, hour, 0, 0)), 0);
	}
}

TEST(auto_dim_is_a_third_at_least_one)
{
	static const struct {
		int16_t set;
		int dimmed;
	} cases[] = {{0, 0},  {1, 1},	{3, 1},	  {4, 1},   {7, 2},
		     {10, 3}, {50, 15}, {99, 29}, {100, 30}};
	struct display_settings display = settings("UTC");

	display.auto_dim = true;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		display.brightness = cases[i].set;
		assert_int_equal(level(&display, utc(2026, 5, 4, 20, 59, 59)), cases[i].set);
		assert_int_equal(level(&display, utc(2026, 5, 4, 21, 0, 0)), cases[i].dimmed);
		assert_int_equal(level(&display, utc(2026, 5, 4, 6, 59, 59)), cases[i].dimmed);
		assert_int_equal(level(&display, utc(2026, 5, 4, 7, 0, 0)), cases[i].set);
	}
	sleep_from_to(&display, 21 * 60, 22 * 60);
	assert_int_equal(level(&display, utc(2026, 5, 4, 21, 30, 0)), 0);
}

TEST(dims_to_the_end_of_the_night)
{
	struct display_settings display = settings("UTC");

	display.dim_enabled = true;
	display.dim_start_minute = 20 * 60;
	display.sleep_end_minute = 6 * 60;
	for (int16_t dim = 0; dim <= 100; dim += 25) {
		int least = dim < display.brightness ? dim : display.brightness;

		display.dim_brightness = dim;
		assert_int_equal(level(&display, utc(2026, 5, 4, 19, 59, 59)), display.brightness);
		assert_int_equal(level(&display, utc(2026, 5, 4, 20, 0, 0)), least);
		assert_int_equal(level(&display, utc(2026, 5, 4, 5, 59, 59)), least);
		assert_int_equal(level(&display, utc(2026, 5, 4, 6, 0, 0)), display.brightness);
	}
	/* The darker of the two applies. */
	display.auto_dim = true;
	display.brightness = 50;
	display.dim_brightness = 20;
	assert_int_equal(level(&display, utc(2026, 5, 4, 22, 0, 0)), 15);
	display.dim_brightness = 10;
	assert_int_equal(level(&display, utc(2026, 5, 4, 22, 0, 0)), 10);
	display.dim_enabled = false;
	assert_int_equal(level(&display, utc(2026, 5, 4, 22, 0, 0)), 15);
}

/* Tests spring, when the hour from 2:00 to 3:00 is missing, and autumn, when it comes twice. */
TEST(daylight_saving)
{
	struct display_settings display = settings("Europe/Zagreb");

	sleep_from_to(&display, 2 * 60 + 30, 3 * 60 + 30);
	/* 29 March 2026, 01:00 UTC: 2:00 becomes 3:00. */
	assert_int_equal(level(&display, utc(2026, 3, 29, 0, 59, 59)), 60);
	assert_int_equal(level(&display, utc(2026, 3, 29, 1, 0, 0)), 0);
	assert_int_equal(level(&display, utc(2026, 3, 29, 1, 30, 0)), 60);
	/* 25 October 2026, 01:00 UTC: 3:00 becomes 2:00. */
	assert_int_equal(level(&display, utc(2026, 10, 25, 0, 29, 59)), 60);
	assert_int_equal(level(&display, utc(2026, 10, 25, 0, 30, 0)), 0);
	assert_int_equal(level(&display, utc(2026, 10, 25, 1, 0, 0)), 0);
	assert_int_equal(level(&display, utc(2026, 10, 25, 1, 15, 0)), 0);
	assert_int_equal(level(&display, utc(2026, 10, 25, 1, 30, 0)), 0);
	assert_int_equal(level(&display, utc(2026, 10, 25, 2, 29, 59)), 0);
	assert_int_equal(level(&display, utc(2026, 10, 25, 2, 30, 0)), 60);

	/* Half an hour: 5 April 2026, 15:00 UTC, UTC+11 becomes UTC+10:30. */
	display = settings("Australia/Lord_Howe");
	sleep_from_to(&display, 90, 105);
	assert_int_equal(level(&display, utc(2026, 4, 4, 14, 29, 59)), 60);
	assert_int_equal(level(&display, utc(2026, 4, 4, 14, 30, 0)), 0);
	assert_int_equal(level(&display, utc(2026, 4, 4, 14, 45, 0)), 60);
	assert_int_equal(level(&display, utc(2026, 4, 4, 15, 0, 0)), 0);
	assert_int_equal(level(&display, utc(2026, 4, 4, 15, 15, 0)), 60);
}

/* Checks how often it falls asleep between noon and noon, and for how many minutes. */
static void sleeps(const char *zone, int64_t noon_us, int16_t start, int16_t end, int times,
		   int minutes)
{
	struct display_settings display = settings(zone);
	int begun = 0, asleep = 0;
	bool was_asleep = false;

	sleep_from_to(&display, start, end);
	for (int i = 0; i < 25 * 60; i++) {
		bool is_asleep = level(&display, noon_us + i * INT64_C(60) * 1000000) == 0;

		begun += is_asleep && !was_asleep;
		asleep += is_asleep;
		was_asleep = is_asleep;
	}
	if (begun != times || asleep != minutes)
		fail_msg("%s, %d to %d: asleep %d times, for %d minutes", zone, start, end, begun,
			 asleep);
}

/* A window that has begun lasts over the change of the clock. */
TEST(windows_when_clocks_are_put_back)
{
	const char *zagreb = "Europe/Zagreb"; /* 3:00 becomes 2:00 */
	int64_t noon_us = utc(2026, 10, 24, 10, 0, 0);

	sleeps(zagreb, noon_us, 22 * 60, 7 * 60, 1, 10 * 60);
	sleeps(zagreb, noon_us, 2 * 60 + 30, 3 * 60 + 30, 1, 2 * 60);
	sleeps(zagreb, noon_us, 2 * 60 + 30, 3 * 60, 1, 90);
	sleeps(zagreb, noon_us, 2 * 60, 3 * 60, 1, 2 * 60);
	sleeps(zagreb, noon_us, 22 * 60, 3 * 60, 1, 6 * 60);
	sleeps(zagreb, noon_us, 22 * 60, 2 * 60 + 30, 1, 5 * 60 + 30);
	sleeps(zagreb, noon_us, 1 * 60 + 30, 2 * 60 + 1, 1, 91);
	sleeps(zagreb, noon_us, 22 * 60, 2 * 60, 1, 4 * 60);
	sleeps(zagreb, noon_us, 3 * 60, 4 * 60, 1, 60);
	/* Sleep that ends before the change comes twice, like its hours. */
	sleeps(zagreb, noon_us, 2 * 60 + 15, 2 * 60 + 45, 2, 60);
	/* 1:00 becomes 0:00, and 24:00 becomes 23:00. */
	sleeps("America/Havana", utc(2026, 10, 31, 16, 0, 0), 23 * 60, 30, 1, 2 * 60 + 30);
	sleeps("America/Havana", utc(2026, 10, 31, 16, 0, 0), 30, 90, 1, 2 * 60);
	sleeps("Asia/Beirut", utc(2026, 10, 24, 9, 0, 0), 23 * 60 + 30, 30, 1, 2 * 60);
	sleeps("Australia/Lord_Howe", utc(2026, 4, 4, 1, 0, 0), 22 * 60, 105, 1, 4 * 60 + 15);
}

/* Nothing changes until valid_until_us, at which the settings are checked again: a walk from one
 * to the next finds the same changes as a check at every minute. */
static void walk_agrees_with_every_minute(const char *zone, int64_t from_us, int days)
{
	struct display_settings display = settings(zone);
	struct display_level now;
	int64_t end_us = from_us + days * INT64_C(86400) * 1000000;
	int64_t at_us = from_us + 12345678;

	display.auto_dim = true;
	sleep_from_to(&display, 6 * 60 + 7, 21 * 60 + 1);
	while (at_us < end_us) {
		now = display_level_at(&display, at_us);
		assert_true(now.valid_until_us > at_us);
		assert_true(now.valid_until_us - at_us <= INT64_C(900) * 1000000);
		for (int64_t us = at_us; us < now.valid_until_us; us += 1000000)
			assert_int_equal(level(&display, us), now.brightness);
		assert_int_equal(level(&display, now.valid_until_us - 1), now.brightness);
		at_us = now.valid_until_us;
	}
}

TEST(valid_until_is_right)
{
	walk_agrees_with_every_minute("Europe/Zagreb", utc(2026, 3, 28, 12, 0, 0), 2);
	walk_agrees_with_every_minute("Europe/Zagreb", utc(2026, 10, 24, 12, 0, 0), 2);
	walk_agrees_with_every_minute("America/New_York", utc(2026, 11, 1, 0, 0, 0), 2);
	walk_agrees_with_every_minute("Australia/Lord_Howe", utc(2026, 4, 4, 0, 0, 0), 2);
	walk_agrees_with_every_minute("Australia/Lord_Howe", utc(2026, 10, 3, 0, 0, 0), 2);
	walk_agrees_with_every_minute("Asia/Kathmandu", utc(2026, 7, 1, 0, 0, 0), 1);
	walk_agrees_with_every_minute("America/St_Johns", utc(2026, 3, 8, 0, 0, 0), 1);
	walk_agrees_with_every_minute("Nowhere", utc(2026, 7, 1, 0, 0, 0), 1);
}

RUN_TESTS(NULL, NULL)

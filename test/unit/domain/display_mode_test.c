#include "base/memory.h"
#include "base/zones.h"
#include "domain/display_mode.h"

#include "../cmocka_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SECOND = 1000000 };

static int64_t utc(int month, int day, int hour, int minute, int second)
{
	struct tm tm = {.tm_year = 2026 - 1900,
			.tm_mon = month - 1,
			.tm_mday = day,
			.tm_hour = hour,
			.tm_min = minute,
			.tm_sec = second};

	return (int64_t)timegm(&tm) * SECOND;
}

static struct schedule hours(int start_minute, int end_minute)
{
	return (struct schedule){.has_hours = true,
				 .start_minute = (int16_t)start_minute,
				 .end_minute = (int16_t)end_minute};
}

/* ---- schedules ---- */

static int day_of(int month, int day)
{
	return (int)(utc(month, day, 0, 0, 0) / SECOND / 86400);
}

/* 4 May 2026 is a Monday. */
static bool is_on(struct schedule schedule, int day, int hour, int minute)
{
	return schedule_is_on(&schedule, local_time_at(NULL, utc(5, day, hour, minute, 0)));
}

TEST(weekdays_begin_at_midnight)
{
	for (int day = 4; day < 18; day++) {
		struct local_time first = local_time_at(NULL, utc(5, day, 0, 0, 0));
		struct local_time last = local_time_at(NULL, utc(5, day, 23, 59, 59));

		assert_int_equal(first.weekday, (day - 4) % 7);
		assert_int_equal(last.weekday, (day - 4) % 7);
		assert_int_equal(first.second, 0);
		assert_int_equal(last.second, 86399);
		for (unsigned off = 0; off < WEEKDAYS; off++) {
			struct schedule schedule = {.days_off = (uint8_t)(1 << off)};

			assert_int_equal(is_on(schedule, day, 12, 0), off != (day - 4) % 7u);
		}
	}
}

/* Uses the zone of the device: Monday begins in Zagreb while it is Sunday in Greenwich. */
/* Hours that cross midnight belong to the day on which they begin. Days that are not known are off.
 */
TEST(days_recur)
{
	struct schedule schedule = {.recurs_from = day_of(5, 4), .recurs_on = 1 | INT64_C(1) << 14};

	assert_true(is_on(schedule, 4, 0, 0) && is_on(schedule, 4, 23, 59));
	assert_false(is_on(schedule, 3, 23, 59) || is_on(schedule, 5, 0, 0));
	assert_true(is_on(schedule, 4 + 14, 12, 0));
	assert_false(is_on(schedule, 4 + 15, 12, 0) || is_on(schedule, 4 + 16, 12, 0));
	schedule.has_hours = true;
	schedule.start_minute = 22 * 60;
	schedule.end_minute = 2 * 60;
	assert_true(is_on(schedule, 4, 22, 0) && is_on(schedule, 5, 1, 59));
	assert_false(is_on(schedule, 4, 1, 59) || is_on(schedule, 5, 22, 0));
	schedule.days_off = 1;
	assert_false(is_on(schedule, 4, 22, 0) || is_on(schedule, 5, 1, 59));
}

TEST(weekdays_are_local)
{
	const struct zone *zagreb = zones_find(STR("Europe/Zagreb"));
	const struct zone *hawaii = zones_find(STR("Pacific/Honolulu"));

	assert_int_equal(local_time_at(zagreb, utc(5, 3, 21, 59, 59)).weekday, 6);
	assert_int_equal(local_time_at(zagreb, utc(5, 3, 22, 0, 0)).weekday, 0);
	assert_int_equal(local_time_at(hawaii, utc(5, 4, 9, 59, 59)).weekday, 6);
	assert_int_equal(local_time_at(hawaii, utc(5, 4, 10, 0, 0)).weekday, 0);
}

TEST(hours_within_a_day)
{
	struct schedule schedule = hours(7 * 60, 9 * 60);

	assert_false(is_on(schedule, 4, 6, 59));
	assert_true(is_on(schedule, 4, 7, 0));
	assert_true(is_on(schedule, 4, 8, 59));
	assert_false(is_on(schedule, 4, 9, 0));
	schedule.days_off = 1 << 1; /* Tuesday */
	assert_true(is_on(schedule, 4, 8, 0));
	assert_false(is_on(schedule, 5, 8, 0));
	assert_true(is_on(schedule, 6, 8, 0));
}

/* The night from Monday to Tuesday is Monday's. */
TEST(hours_across_midnight)
{
	struct schedule schedule = hours(22 * 60, 2 * 60);

	schedule.days_off = (uint8_t)(WEEKDAYS_ALL & ~1);
	assert_false(is_on(schedule, 4, 1, 59));
	assert_false(is_on(schedule, 4, 21, 59));
	assert_true(is_on(schedule, 4, 22, 0));
	assert_true(is_on(schedule, 5, 0, 0));
	assert_true(is_on(schedule, 5, 1, 59));
	assert_false(is_on(schedule, 5, 2, 0));
	assert_false(is_on(schedule, 5, 22, 0));
	/* Sunday's ends on Monday. */
	schedule.days_off = (uint8_t)(WEEKDAYS_ALL & ~(1 << 6));
	assert_true(is_on(schedule, 10, 23, 0));
	assert_true(is_on(schedule, 11, 1, 0));
	assert_false(is_on(schedule, 11, 22, 0));
}

TEST(equal_hours_last_a_day)
{
	struct schedule schedule = hours(6 * 60, 6 * 60);

	for (int hour = 0; hour < 24; hour++)
		assert_true(is_on(schedule, 4, hour, 0));
	schedule.days_off = (uint8_t)(WEEKDAYS_ALL & ~1);
	assert_false(is_on(schedule, 4, 5, 59));
	assert_true(is_on(schedule, 4, 6, 0));
	assert_true(is_on(schedule, 5, 5, 59));
	assert_false(is_on(schedule, 5, 6, 0));
	schedule = hours(0, 0);
	schedule.days_off = (uint8_t)(WEEKDAYS_ALL & ~1);
	assert_false(is_on(schedule, 3, 23, 59));
	assert_true(is_on(schedule, 4, 0, 0));
	assert_true(is_on(schedule, 4, 23, 59));
	assert_false(is_on(schedule, 5, 0, 0));
}

/* Tests spring, when the hour from 2:00 to 3:00 is missing, and autumn, when it comes twice. */
TEST(hours_when_the_clock_is_changed)
{
	static const struct {
		int month, day, hour, minute;
		bool is_on;
	} cases[] = {
	    /* 29 March, 01:00 UTC: 2:00 becomes 3:00. */
	    {3, 29, 0, 59, false},
	    {3, 29, 1, 0, true},
	    {3, 29, 1, 29, true},
	    {3, 29, 1, 30, false},
	    /* 25 October, 01:00 UTC: 3:00 becomes 2:00. */
	    {10, 25, 0, 29, false},
	    {10, 25, 0, 30, true},
	    {10, 25, 0, 59, true},
	    {10, 25, 1, 0, true},
	    {10, 25, 1, 30, true},
	    {10, 25, 2, 29, true},
	    {10, 25, 2, 30, false},
	};
	const struct zone *zone = zones_find(STR("Europe/Zagreb"));
	struct schedule schedule = hours(2 * 60 + 30, 3 * 60 + 30);

	for (unsigned i = 0; i < array_length(cases); i++) {
		int64_t at_us =
		    utc(cases[i].month, cases[i].day, cases[i].hour, cases[i].minute, 0);

		print_message("%d/%d %02d:%02d\n", cases[i].month, cases[i].day, cases[i].hour,
			      cases[i].minute);
		assert_int_equal(schedule_is_on(&schedule, local_time_at(zone, at_us)),
				 cases[i].is_on);
	}
}

/* ---- display modes ---- */

static struct content_installation entries[4];

/* Positions 10, 20, 30, 40. */
static struct content content_of(unsigned count)
{
	for (unsigned i = 0; i < 4; i++)
		entries[i] = (struct content_installation){
		    .position = 10 * (i + 1),
		    .picture_generation = 10 * (i + 1),
		};
	return (struct content){
	    .settings = {.brightness = 60, .schedule_interval_s = 15},
	    .installations = entries,
	    .installation_count = count,
	    .night_brightness = 7,
	};
}

/* Order that the description of panel connections defines, for every combination. Of 3 entries,
 * 10 is in the rotation, 20 is disabled, 30 is outside its hours. */
static void check_order(struct content *content, bool is_asleep, bool has_entries)
{
	int64_t night = content->night_position, pinned = content->pinned_position;
	struct display_mode mode = display_mode_at(content, utc(5, 4, 12, 0, 0));
	const struct content_installation *next = display_mode_next(&mode, -1);
	int64_t position = next ? next->position : 0;

	print_message("brightness %d, asleep %d, entries %d, night %lld, pinned %lld\n",
		      content->settings.brightness, is_asleep, has_entries, (long long)night,
		      (long long)pinned);
	if (content->settings.brightness == 0 || (is_asleep && (night <= 0 || !has_entries))) {
		assert_int_equal(mode.kind, DISPLAY_MODE_DARK);
		assert_int_equal(mode.brightness, 0);
		assert_false(display_mode_takes_pushes(&mode));
		return;
	}
	assert_int_equal(mode.brightness, is_asleep ? 7 : content->settings.brightness);
	assert_int_equal(display_mode_takes_pushes(&mode), !is_asleep);
	if (is_asleep) {
		assert_int_equal(mode.kind, DISPLAY_MODE_NIGHT);
		assert_int_equal(position, night);
	} else if (pinned > 0 && has_entries) {
		assert_int_equal(mode.kind, DISPLAY_MODE_PINNED);
		assert_int_equal(position, pinned);
	} else {
		assert_int_equal(mode.kind, DISPLAY_MODE_ROTATION);
		assert_int_equal(position, has_entries ? 10 : 0);
	}
	for (unsigned i = 0; i < content->installation_count; i++)
		assert_int_equal(display_mode_shows(&mode, &entries[i]),
				 entries[i].position == position);
	/* The same entry is next, wherever the panel was. */
	for (int64_t after = 0; after <= 50 && next; after += 5)
		assert_ptr_equal(display_mode_next(&mode, after), next);
}

TEST(the_order_of_the_rules)
{
	static const int64_t chosen[] = {0, -1, 10, 20, 30};
	struct content content;

	for (unsigned i = 0; i < 2 * 2 * 2 * 2 * 5 * 5; i++) {
		bool has_entries = i & 1, is_asleep = i >> 1 & 1;

		content = content_of(has_entries ? 3 : 0);
		entries[1].is_disabled = true;
		entries[2].schedule = hours(13 * 60, 14 * 60);
		content.settings.brightness = i >> 2 & 1 ? 60 : 0;
		content.settings.sleep_enabled = is_asleep;
		content.settings.sleep_start_minute = 11 * 60;
		content.settings.sleep_end_minute = 13 * 60;
		/* Dims neither now nor the night entry. */
		content.settings.auto_dim = i >> 3 & 1;
		content.night_position = chosen[i / 16 % 5];
		content.pinned_position = chosen[i / 80 % 5];
		check_order(&content, is_asleep, has_entries);
	}
}

TEST(night_entry_is_not_dimmed)
{
	struct content content = content_of(1);

	content.settings.auto_dim = content.settings.sleep_enabled = true;
	content.settings.sleep_start_minute = 22 * 60;
	content.night_position = 10;
	assert_int_equal(display_mode_at(&content, utc(5, 4, 21, 30, 0)).brightness, 18);
	assert_int_equal(display_mode_at(&content, utc(5, 4, 22, 0, 0)).brightness, 7);
	assert_int_equal(display_mode_at(&content, utc(5, 4, 23, 59, 59)).brightness, 7);
	assert_int_equal(display_mode_at(&content, utc(5, 5, 0, 0, 0)).brightness, 18);
}

TEST(night_entry_is_dark_at_no_brightness)
{
	struct content content = content_of(1);
	struct display_mode mode;

	content.settings.sleep_enabled = true; /* all day */
	content.night_position = 10;
	content.night_brightness = 0;
	mode = display_mode_at(&content, utc(5, 4, 22, 0, 0));
	assert_int_equal(mode.kind, DISPLAY_MODE_DARK);
}

TEST(entries_are_passed_over)
{
	struct content content = content_of(4);
	struct display_mode mode;

	entries[1].is_disabled = true;
	entries[2].schedule = hours(12 * 60, 13 * 60);
	mode = display_mode_at(&content, utc(5, 4, 12, 0, 0));
	assert_int_equal(display_mode_next(&mode, 10)->position, 30);
	assert_int_equal(display_mode_next(&mode, 20)->position, 30);
	assert_int_equal(display_mode_next(&mode, 30)->position, 40);
	assert_int_equal(display_mode_next(&mode, 40)->position, 10);
	mode = display_mode_at(&content, utc(5, 4, 13, 0, 0));
	assert_int_equal(display_mode_next(&mode, 10)->position, 40);
	/* A removed entry. */
	assert_int_equal(display_mode_next(&mode, 25)->position, 40);
	for (unsigned i = 0; i < 4; i++)
		entries[i].is_disabled = true;
	assert_null(display_mode_next(&mode, 10));
}

/* An entry without a picture is not shown, but has its turn, and is rendered. */
TEST(blank_entries)
{
	struct content content = content_of(3);
	struct display_mode mode;

	entries[0].is_empty = true;
	entries[1].is_empty = entries[1].is_disabled = true;
	mode = display_mode_at(&content, utc(5, 4, 12, 0, 0));
	assert_int_equal(display_mode_next(&mode, -1)->position, 30);
	assert_int_equal(display_mode_next(&mode, 30)->position, 30);
	assert_false(display_mode_shows(&mode, &entries[0]));
	assert_true(display_mode_has_turn(&mode, &entries[0]));
	assert_false(display_mode_has_turn(&mode, &entries[1]));
	content.pinned_position = 20;
	mode = display_mode_at(&content, utc(5, 4, 12, 0, 0));
	assert_int_equal(mode.kind, DISPLAY_MODE_ROTATION);
	assert_int_equal(display_mode_next(&mode, -1)->position, 30);
	assert_true(display_mode_has_turn(&mode, &entries[1])); /* even if disabled */
	assert_false(display_mode_shows(&mode, &entries[1]));
	assert_true(display_mode_has_turn(&mode, &entries[2]));
	entries[1].is_empty = false;
	mode = display_mode_at(&content, utc(5, 4, 12, 0, 0));
	assert_int_equal(mode.kind, DISPLAY_MODE_PINNED);
	assert_int_equal(display_mode_next(&mode, -1)->position, 20);
	assert_false(display_mode_has_turn(&mode, &entries[2]));
	content.pinned_position = -1;
	mode = display_mode_at(&content, utc(5, 4, 12, 0, 0));
	assert_int_equal(display_mode_next(&mode, -1)->position, 30);
	content.night_position = 10;
	content.settings.sleep_enabled = true;
	mode = display_mode_at(&content, utc(5, 4, 12, 0, 0));
	assert_int_equal(mode.kind, DISPLAY_MODE_DARK);
	assert_int_equal(mode.brightness, 0);
	assert_null(display_mode_next(&mode, -1));
	assert_true(display_mode_has_turn(&mode, &entries[0]));
	assert_false(display_mode_shows(&mode, &entries[0]));
	content.settings.brightness = 0;
	mode = display_mode_at(&content, utc(5, 4, 12, 0, 0));
	for (unsigned i = 0; i < 3; i++)
		assert_false(display_mode_has_turn(&mode, &entries[i]));
}

/* Nothing changes until valid_until_us: a walk from one to the next finds the same changes as a
 * check at every second. */
static void walk(const char *zone, int64_t from_us, int days)
{
	struct content content = content_of(4);
	int64_t end_us = from_us + days * INT64_C(86400) * SECOND;
	int64_t at_us = from_us + 12345678;

	content.settings.zone = zones_find(str_from(zone));
	content.settings.sleep_enabled = true;
	content.settings.sleep_start_minute = 21 * 60 + 1;
	content.settings.sleep_end_minute = 60 + 7;
	content.night_position = 40;
	entries[0].schedule = hours(2 * 60 + 17, 3 * 60 + 41);
	entries[1].schedule = hours(20 * 60 + 3, 19 * 60);
	entries[1].schedule.days_off = 0x55;
	entries[2].schedule.days_off = 0x2a;
	entries[0].pins_itself = true;
	entries[3].schedule.recurs_from = (int32_t)(from_us / SECOND / 86400);
	entries[3].schedule.recurs_on = 0x5;
	while (at_us < end_us) {
		struct display_mode now = display_mode_at(&content, at_us);

		assert_true(now.valid_until_us > at_us);
		assert_true(now.valid_until_us - at_us <= INT64_C(900) * SECOND);
		for (int64_t us = at_us; us < now.valid_until_us; us += SECOND) {
			struct display_mode then = display_mode_at(&content, us);

			assert_int_equal(then.kind, now.kind);
			assert_int_equal(then.brightness, now.brightness);
			for (unsigned i = 0; i < 4; i++)
				assert_int_equal(display_mode_shows(&then, &entries[i]),
						 display_mode_shows(&now, &entries[i]));
		}
		at_us = now.valid_until_us;
	}
}

TEST(valid_until_is_right)
{
	walk("UTC", utc(5, 1, 0, 0, 0), 3);
	walk("Europe/Zagreb", utc(3, 28, 12, 0, 0), 2);
	walk("Europe/Zagreb", utc(10, 24, 12, 0, 0), 2);
	walk("Australia/Lord_Howe", utc(4, 4, 0, 0, 0), 2);
	walk("Australia/Lord_Howe", utc(10, 3, 0, 0, 0), 2);
	walk("America/St_Johns", utc(3, 8, 0, 0, 0), 1);
	walk("Asia/Beirut", utc(3, 28, 0, 0, 0), 2);
}

/* The C library, which reads the system's tz database, has the same local time at every second of
 * the days on which clocks change, and of the days beside them. */
static void agrees_with_the_c_library(const char *zone, int month, int day)
{
	const struct zone *ours = zones_find(str_from(zone));
	time_t start = (time_t)(utc(month, day, 0, 0, 0) / SECOND);

	assert_int_equal(setenv("TZ", zone, 1), 0);
	tzset();
	for (time_t at = start; at < start + 3 * 86400; at++) {
		struct local_time local = local_time_at(ours, (int64_t)at * SECOND);
		struct tm tm;

		localtime_r(&at, &tm);
		assert_int_equal(local.second, tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec);
		assert_int_equal(local.weekday, (tm.tm_wday + 6) % 7);
	}
	unsetenv("TZ");
	tzset();
}

TEST(local_time_is_that_of_the_c_library)
{
	agrees_with_the_c_library("Europe/Zagreb", 3, 28);
	agrees_with_the_c_library("Europe/Zagreb", 10, 24);
	agrees_with_the_c_library("America/New_York", 3, 7);
	agrees_with_the_c_library("America/New_York", 10, 31);
	agrees_with_the_c_library("America/St_Johns", 3, 7);
	agrees_with_the_c_library("Australia/Lord_Howe", 4, 3);
	agrees_with_the_c_library("Australia/Lord_Howe", 10, 2);
	/* At midnight: 00:30 is missing on that day. */
	agrees_with_the_c_library("Asia/Beirut", 3, 28);
	agrees_with_the_c_library("Pacific/Kiritimati", 12, 30);
}

struct moment {
	int month, day, hour, minute, second; /* UTC */
	bool is_on;
};

static void check_moments(const char *zone, struct schedule schedule, const struct moment *moments)
{
	for (; moments->month; moments++) {
		int64_t at_us = utc(moments->month, moments->day, moments->hour, moments->minute,
				    moments->second);
		struct local_time local = local_time_at(zones_find(str_from(zone)), at_us);

		print_message("%d/%d %02d:%02d:%02d\n", moments->month, moments->day, moments->hour,
			      moments->minute, moments->second);
		assert_int_equal(schedule_is_on(&schedule, local), moments->is_on);
	}
}

/* 22:00 to 06:00 of Saturdays on which the night is an hour shorter or longer: 28 March and 24
 * October 2026 are Saturdays. */
TEST(nights_in_which_the_clock_is_changed)
{
	struct schedule nights = hours(22 * 60, 6 * 60);
	struct schedule days = {.days_off = (uint8_t)~0x20};

	nights.days_off = (uint8_t)~0x20;
	check_moments("Europe/Zagreb", nights,
		      (const struct moment[]){{3, 28, 20, 59, 59, false},
					      {3, 28, 21, 0, 0, true},
					      {3, 29, 0, 59, 59, true},
					      {3, 29, 1, 0, 0, true},
					      {3, 29, 3, 59, 59, true},
					      {3, 29, 4, 0, 0, false},
					      {10, 24, 19, 59, 59, false},
					      {10, 24, 20, 0, 0, true},
					      {10, 25, 0, 59, 59, true},
					      {10, 25, 1, 0, 0, true},
					      {10, 25, 4, 59, 59, true},
					      {10, 25, 5, 0, 0, false},
					      {0}});
	/* The whole Saturday, and a missing midnight: 29 March in Beirut is a Sunday that begins at
	 * 1:00. */
	check_moments("Europe/Zagreb", days,
		      (const struct moment[]){{3, 27, 22, 59, 59, false},
					      {3, 27, 23, 0, 0, true},
					      {3, 28, 22, 59, 59, true},
					      {3, 28, 23, 0, 0, false},
					      {10, 23, 21, 59, 59, false},
					      {10, 23, 22, 0, 0, true},
					      {10, 24, 21, 59, 59, true},
					      {10, 24, 22, 0, 0, false},
					      {0}});
	check_moments(
	    "Asia/Beirut", days,
	    (const struct moment[]){{3, 28, 21, 59, 59, true}, {3, 28, 22, 0, 0, false}, {0}});
}

RUN_TESTS(NULL, NULL)

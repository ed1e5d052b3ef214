#include "base/zones.h"
#include "domain/display.h"

#include "../cmocka_test.h"

#include <time.h>

static struct arena arena;

static int64_t utc(int year, int month, int day, int hour, int minute)
{
	struct tm tm = {.tm_year = year - 1900,
			.tm_mon = month - 1,
			.tm_mday = day,
			.tm_hour = hour,
			.tm_min = minute};

	return (int64_t)timegm(&tm) * 1000000;
}

static const int64_t MINUTE_US = INT64_C(60) * 1000000;

static struct plan plan_of(const char *windows, const char *place)
{
	struct plan plan;

	plan_parse(str_from(windows), str_from(place), &arena, &plan);
	assert_true(plan.count > 0);
	return plan;
}

static struct display_settings settings(const char *zone, const struct plan *plan)
{
	return (struct display_settings){
	    .brightness = 60,
	    .zone = zones_find(str_from(zone)),
	    .schedule_interval_s = 15,
	    .night_color_filter = COLOR_FILTER_INHERIT,
	    .dim_color_filter = COLOR_FILTER_INHERIT,
	    .plan = plan,
	};
}

#define LONDON "{\"lat\":\"51.47\",\"lng\":\"0\"}"
#define TROMSO "{\"lat\":\"69.65\",\"lng\":\"18.96\"}"
#define KATHMANDU "{\"lat\":\"27.7\",\"lng\":\"85.32\"}"

/* Checks how often it is dark within 24 or 25 hours, and for how many minutes. */
static void is_dark(const char *zone, const char *place, int64_t from_us, int hours,
		    const char *windows, int times, int minutes)
{
	struct plan plan = plan_of(windows, place);
	struct display_settings display = settings(zone, &plan);
	int begun = 0, dark = 0;
	bool was_dark = false;

	for (int i = 0; i < hours * 60; i++) {
		bool now = display_level_at(&display, from_us + i * MINUTE_US).brightness == 0;

		begun += now && !was_dark;
		dark += now;
		was_dark = now;
	}
	if (begun != times || abs(dark - minutes) > 2)
		fail_msg("%s in %s: dark %d times, for %d minutes", windows, zone, begun, dark);
}

#define DARK(from, to) "[{\"from\":\"" from "\",\"to\":\"" to "\",\"dark\":true}]"

TEST(the_latest_window_that_says_something_decides)
{
	struct plan plan = plan_of(
	    "[{\"from\":\"08:00\",\"to\":\"20:00\",\"brightness\":40,\"colorFilter\":\"warm\"},"
	    "{\"from\":\"09:00\",\"to\":\"19:00\",\"interval\":90,\"dark\":true},"
	    "{\"from\":\"10:00\",\"to\":\"18:00\",\"brightness\":70},"
	    "{\"from\":\"11:00\",\"to\":\"12:00\",\"dark\":false,\"colorFilter\":\"none\"}]",
	    "");
	struct display_settings display = settings("UTC", &plan);
	struct display_level now = display_level_at(&display, utc(2026, 5, 4, 7, 59));

	assert_int_equal(now.brightness, 60);
	assert_int_equal(now.interval_s, 15);
	assert_int_equal(now.by.brightness, DISPLAY_BY_DEVICE);
	assert_true(now.valid_until_us == utc(2026, 5, 4, 8, 0));
	now = display_level_at(&display, utc(2026, 5, 4, 8, 0));
	assert_int_equal(now.brightness, 40);
	assert_int_equal(now.filter, COLOR_FILTER_WARM);
	assert_int_equal(now.by.filter, DISPLAY_BY_WINDOW);
	now = display_level_at(&display, utc(2026, 5, 4, 10, 30));
	assert_int_equal(now.brightness, 0);
	assert_true(now.is_asleep && !now.is_night);
	assert_int_equal(now.by.dark, DISPLAY_BY_WINDOW + 1);
	now = display_level_at(&display, utc(2026, 5, 4, 11, 0));
	assert_int_equal(now.brightness, 70);
	assert_int_equal(now.interval_s, 90);
	assert_int_equal(now.filter, COLOR_FILTER_NONE);
	assert_int_equal(now.by.brightness, DISPLAY_BY_WINDOW + 2);
	assert_int_equal(now.by.dark, DISPLAY_BY_WINDOW + 3);
	/* Dark by the device's brightness stays dark. */
	display.brightness = 0;
	now = display_level_at(&display, utc(2026, 5, 4, 11, 0));
	assert_true(now.brightness == 0 && !now.is_asleep);
}

TEST(sleep_yields_only_to_what_was_set_by_hand)
{
	struct plan plan = plan_of("[{\"from\":\"00:00\",\"to\":\"00:00\",\"dark\":false,"
				   "\"brightness\":80,\"colorFilter\":\"cool\"}]",
				   "");
	struct display_settings display = settings("UTC", &plan);
	int64_t at_us = utc(2026, 5, 4, 23, 0);
	struct display_level now;

	display.sleep_enabled = true;
	display.sleep_start_minute = 22 * 60;
	display.sleep_end_minute = 7 * 60;
	display.night_color_filter = COLOR_FILTER_REDSHIFT;
	now = display_level_at(&display, at_us);
	assert_int_equal(now.brightness, 0);
	assert_true(now.is_asleep && now.is_night);
	assert_int_equal(now.filter, COLOR_FILTER_REDSHIFT);
	assert_int_equal(now.by.dark, DISPLAY_BY_SLEEP);
	display.sleep_set = (struct sleep_setting){.is_set = true};
	now = display_level_at(&display, at_us);
	assert_int_equal(now.brightness, 80);
	assert_int_equal(now.filter, COLOR_FILTER_COOL);
	assert_int_equal(now.by.dark, DISPLAY_BY_ORDER);
	display.sleep_set.is_asleep = true;
	assert_int_equal(display_level_at(&display, utc(2026, 5, 4, 12, 0)).brightness, 0);
}

TEST(auto_dim_and_dimming_come_before_own_windows)
{
	struct plan plan = plan_of("[{\"from\":\"22:00\",\"to\":\"23:00\",\"brightness\":50}]", "");
	struct display_settings display = settings("UTC", &plan);
	int64_t at_us = utc(2026, 5, 4, 22, 30);

	display.auto_dim = true;
	assert_int_equal(display_level_at(&display, utc(2026, 5, 4, 21, 30)).brightness, 18);
	assert_int_equal(display_level_at(&display, at_us).brightness, 50);
	/* Dimmed by hand counts more than any window. */
	display.dim_brightness = 5;
	display.dim_set = (struct dim_setting){.is_set = true, .is_dimmed = true};
	assert_int_equal(display_level_at(&display, at_us).brightness, 5);
	assert_int_equal(display_level_at(&display, at_us).by.brightness, DISPLAY_BY_ORDER);
}

TEST(weekdays_are_those_on_which_windows_begin)
{
	struct plan plan =
	    plan_of("[{\"weekdays\":[\"monday\"],\"from\":\"22:00\",\"to\":\"06:00\","
		    "\"dark\":true}]",
		    "");
	struct display_settings display = settings("UTC", &plan); /* 4 May 2026 is a Monday */

	assert_int_equal(display_level_at(&display, utc(2026, 5, 4, 5, 0)).brightness, 60);
	assert_int_equal(display_level_at(&display, utc(2026, 5, 4, 22, 0)).brightness, 0);
	assert_int_equal(display_level_at(&display, utc(2026, 5, 5, 5, 59)).brightness, 0);
	assert_int_equal(display_level_at(&display, utc(2026, 5, 5, 22, 0)).brightness, 60);
}

/* A window that has begun stays over both changes of the clock; by the sun, too. */
TEST(changes_of_the_clock)
{
	int64_t autumn = utc(2026, 10, 24, 10, 0), spring = utc(2026, 3, 28, 11, 0);

	is_dark("Europe/London", LONDON, autumn, 25, DARK("22:00", "07:00"), 1, 600);
	is_dark("Europe/London", LONDON, spring, 24, DARK("22:00", "07:00"), 1, 480);
	is_dark("Europe/London", LONDON, autumn, 25, DARK("01:30", "02:30"), 1, 120);
	is_dark("Europe/London", LONDON, spring, 24, DARK("01:30", "02:30"), 1, 30);
	/* Sunset 16:48 UTC, sunrise 6:41 UTC of the next day. */
	is_dark("Europe/London", LONDON, autumn, 25, DARK("sunset", "sunrise"), 1, 13 * 60 + 53);
	/* Sunset 18:26 UTC, sunrise 5:41 UTC. */
	is_dark("Europe/London", LONDON, spring, 24, DARK("sunset", "sunrise"), 1, 11 * 60 + 15);
	is_dark("Europe/London", LONDON, autumn, 25, DARK("sunset+30", "01:30"), 1, 8 * 60 + 12);
}

TEST(zones_of_45_minutes)
{
	int64_t noon = utc(2026, 7, 1, 6, 15);

	is_dark("Asia/Kathmandu", "", noon, 24, DARK("22:10", "05:20"), 1, 430);
	/* Sunrise 5:11, sunset 19:03 in Kathmandu. */
	is_dark("Asia/Kathmandu", KATHMANDU, noon, 24, DARK("sunset", "sunrise"), 1, 10 * 60 + 8);
	is_dark("Australia/Eucla", "", noon, 24, DARK("22:10", "05:20"), 1, 430);
	is_dark("Pacific/Chatham", "", utc(2026, 4, 4, 0, 0), 25, DARK("22:10", "05:20"), 1, 490);
	is_dark("Pacific/Chatham", "", utc(2026, 9, 26, 0, 0), 24, DARK("22:10", "05:20"), 1, 370);
}

TEST(polar_day_and_night)
{
	int64_t summer = utc(2026, 6, 20, 22, 0), winter = utc(2026, 12, 20, 23, 0);

	is_dark("Europe/Oslo", TROMSO, summer, 24, DARK("sunset", "sunrise"), 0, 0);
	is_dark("Europe/Oslo", TROMSO, summer, 24, DARK("sunset-60", "sunrise+60"), 0, 0);
	is_dark("Europe/Oslo", TROMSO, summer, 24, DARK("sunrise", "sunset"), 1, 1440);
	is_dark("Europe/Oslo", TROMSO, summer, 24, DARK("22:00", "sunrise"), 1, 120);
	is_dark("Europe/Oslo", TROMSO, winter, 24, DARK("sunset", "sunrise"), 1, 1440);
	is_dark("Europe/Oslo", TROMSO, winter, 24, DARK("sunrise", "sunset"), 0, 0);
	is_dark("Europe/Oslo", TROMSO, winter, 24, DARK("sunrise-60", "sunset+60"), 0, 0);
}

TEST(windows_by_the_sun)
{
	int64_t winter = utc(2026, 12, 20, 12, 0), summer = utc(2026, 6, 20, 12, 0);

	/* Sunrise 8:04, sunset 15:53 in winter; 3:43 and 20:21 UTC in summer. */
	is_dark("UTC", LONDON, winter, 24, DARK("sunrise", "08:00"), 0, 0);
	is_dark("UTC", LONDON, summer, 24, DARK("sunrise", "08:00"), 1, 257);
	is_dark("UTC", LONDON, winter, 24, DARK("17:00", "sunset"), 0, 0);
	is_dark("UTC", LONDON, summer, 24, DARK("17:00", "sunset"), 1, 201);
	is_dark("UTC", LONDON, winter, 24, DARK("22:00", "sunrise-30"), 1, 120 + 454);
	is_dark("UTC", LONDON, winter, 24, DARK("sunset", "07:00"), 1, 487 + 420);
	is_dark("UTC", LONDON, winter, 24, DARK("sunset-10", "sunset+10"), 1, 20);
	is_dark("UTC", LONDON, winter, 24, DARK("sunset", "sunset"), 1, 1440);
	/* Without a place: 6:00 and 18:00. */
	is_dark("UTC", "", winter, 24, DARK("sunset", "sunrise"), 1, 720);
	is_dark("UTC", "", winter, 24, DARK("sunset+60", "21:00"), 1, 120);
}

/* A walk from one change to the next finds the same as a check at every minute. */
TEST(valid_until_is_right)
{
	struct plan plan =
	    plan_of("[{\"from\":\"sunset-7\",\"to\":\"sunrise+11\",\"brightness\":20},"
		    "{\"weekdays\":[\"sunday\"],\"from\":\"01:20\",\"to\":\"02:40\",\"dark\":true},"
		    "{\"from\":\"sunrise\",\"to\":\"09:13\",\"interval\":60},"
		    "{\"weekdays\":[\"saturday\"],\"from\":\"23:50\",\"to\":\"00:05\","
		    "\"colorFilter\":\"bw\"}]",
		    LONDON);
	const int64_t starts[] = {utc(2026, 3, 28, 12, 0), utc(2026, 10, 24, 12, 0)};
	const char *zones[] = {"Europe/London", "Asia/Kathmandu", "America/New_York",
			       "Pacific/Chatham"};

	for (unsigned i = 0; i < 8; i++) {
		struct display_settings display = settings(zones[i / 2], &plan);
		int64_t at_us = starts[i % 2] + 7654321;

		for (int64_t end_us = at_us + 2 * 1440 * MINUTE_US; at_us < end_us;) {
			struct display_level now = display_level_at(&display, at_us), then;

			assert_true(now.valid_until_us > at_us);
			assert_true(now.valid_until_us - at_us <= 15 * MINUTE_US);
			for (int64_t us = at_us; us < now.valid_until_us; us += 7000000) {
				then = display_level_at(&display, us);
				assert_int_equal(then.brightness, now.brightness);
				assert_int_equal(then.interval_s, now.interval_s);
				assert_int_equal(then.filter, now.filter);
			}
			at_us = now.valid_until_us;
		}
	}
}

static void ends(const struct display_settings *display, enum display_subject subject,
		 int64_t at_us, int64_t expected_us)
{
	int64_t end_us = 0;
	bool has_end = display_changes_at(display, subject, at_us, &end_us);

	assert_int_equal(has_end, expected_us != 0);
	if (expected_us && end_us != expected_us)
		fail_msg("ends after %lld minutes", (long long)((end_us - at_us) / MINUTE_US));
}

TEST(orders_last_until_the_plan_next_changes)
{
	struct plan plan =
	    plan_of("[{\"weekdays\":[\"monday\"],\"from\":\"22:00\",\"to\":\"06:00\","
		    "\"dark\":true},{\"weekdays\":[\"wednesday\"],\"from\":\"sunset\","
		    "\"to\":\"23:00\",\"brightness\":9}]",
		    "");
	struct display_settings display = settings("UTC", NULL);
	int64_t monday = utc(2026, 5, 4, 23, 0), sunday = utc(2026, 5, 10, 12, 0);

	ends(&display, DISPLAY_DARKNESS, monday, 0);
	ends(&display, DISPLAY_BRIGHTNESS, monday, 0);
	display.plan = &plan;
	ends(&display, DISPLAY_DARKNESS, monday, utc(2026, 5, 5, 6, 0));
	ends(&display, DISPLAY_DARKNESS, utc(2026, 5, 5, 6, 0), utc(2026, 5, 11, 22, 0));
	ends(&display, DISPLAY_DARKNESS, sunday, utc(2026, 5, 11, 22, 0));
	ends(&display, DISPLAY_BRIGHTNESS, sunday, utc(2026, 5, 13, 18, 0));
	display.auto_dim = true;
	ends(&display, DISPLAY_BRIGHTNESS, sunday, utc(2026, 5, 10, 21, 0));
	/* A window of 24 hours begins anew. */
	display.plan = NULL;
	display.sleep_enabled = true;
	display.sleep_start_minute = display.sleep_end_minute = 300;
	ends(&display, DISPLAY_DARKNESS, monday, utc(2026, 5, 5, 5, 0));
	/* Also on a day that has no midnight, since clocks are put forward then. */
	display.zone = zones_find(STR("America/Havana"));
	display.sleep_start_minute = display.sleep_end_minute = 0;
	ends(&display, DISPLAY_DARKNESS, utc(2026, 3, 7, 12, 0), utc(2026, 3, 8, 5, 0));
	ends(&display, DISPLAY_DARKNESS, utc(2026, 3, 8, 5, 0), utc(2026, 3, 9, 4, 0));
}

static void wakes(const struct display_settings *display, int64_t at_us, int64_t expected_us)
{
	int64_t wakes_us = 0;
	bool does_wake = display_wakes_at(display, at_us, &wakes_us);

	assert_int_equal(does_wake, expected_us != 0);
	if (does_wake && wakes_us != expected_us)
		fail_msg("wakes after %lld minutes", (long long)((wakes_us - at_us) / MINUTE_US));
}

TEST(wakes_after_days)
{
	struct plan plan =
	    plan_of("[{\"weekdays\":[\"monday\",\"tuesday\",\"wednesday\",\"thursday\",\"friday\"],"
		    "\"from\":\"00:00\",\"to\":\"00:00\",\"dark\":true},"
		    "{\"from\":\"10:01\",\"to\":\"10:02\",\"brightness\":9},"
		    "{\"from\":\"10:03\",\"to\":\"10:04\",\"brightness\":9}]",
		    "");
	struct display_settings display = settings("UTC", &plan);
	int64_t monday = utc(2026, 5, 4, 12, 0), saturday = utc(2026, 5, 9, 0, 0);

	wakes(&display, monday, saturday);
	wakes(&display, saturday, 0);
	display.sleep_set = (struct sleep_setting){true, true, saturday - 5 * MINUTE_US};
	wakes(&display, monday, saturday);
	display.sleep_set = (struct sleep_setting){true, true, saturday + 7 * MINUTE_US};
	wakes(&display, monday, saturday + 7 * MINUTE_US);
	display.sleep_set.until_us = 0;
	wakes(&display, monday, 0);
	/* Nothing ever wakes it. */
	display.sleep_set.is_set = false;
	display.sleep_enabled = true;
	wakes(&display, monday, 0);
}

/* ---- texts ---- */

static unsigned count_faults(const char *text, const char *pointer)
{
	struct json_document document = {0};
	struct faults faults;
	struct str reason;
	struct plan plan;
	bool is_good;

	faults_init(&faults, &arena);
	assert_true(json_parse(str_from(text), &arena, &document, &reason));
	is_good = plan_read(document.root, &faults, &plan);
	assert_int_equal(is_good, faults.count == 0);
	if (pointer)
		assert_true(faults.count > 0 &&
			    str_equal(faults.list[0].pointer, str_from(pointer)));
	json_document_finish(&document);
	return faults.count;
}

TEST(texts_come_back_as_they_are_written)
{
	static const char whole[] =
	    "[{\"weekdays\":[\"monday\",\"sunday\"],\"from\":\"00:00\",\"to\":\"sunset-240\","
	    "\"dark\":false,\"brightness\":100,\"colorFilter\":\"pastel\","
	    "\"installationId\":\"a \\\"b\\\"\",\"interval\":86400},{\"weekdays\":[\"friday\"],"
	    "\"from\":\"sunrise+240\",\"to\":\"sunset\",\"dark\":true}]";
	struct plan plan = plan_of(whole, LONDON);
	struct str text = plan_text(&plan, &arena);

	if (!str_equal(text, STR(whole)))
		fail_msg("%.*s", STR_ARG(text));
	assert_null(plan_text_check(text));
	assert_null(plan_text_check(STR("")));
	assert_non_null(plan_text_check(STR("[")));
	assert_non_null(plan_text_check(STR("{}")));
	assert_non_null(plan_text_check(STR("[{}]")));
	plan_parse(STR("[]"), STR(""), &arena, &plan);
	assert_int_equal(plan_text(&plan, &arena).length, 0);
}

#define WITH(members) "[{\"from\":\"08:00\",\"to\":\"09:00\"," members "}]"

TEST(faults_name_their_place)
{
	static const struct {
		const char *text, *pointer;
	} cases[] = {
	    {"5", "/windows"},
	    {"[5]", "/windows/0"},
	    {"[{\"from\":\"08:00\",\"to\":\"09:00\"}]", "/windows/0"},
	    {"[{\"to\":\"09:00\",\"dark\":true}]", "/windows/0/from"},
	    {DARK("24:00", "09:00"), "/windows/0/from"},
	    {DARK("08:00", "8:00"), "/windows/0/to"},
	    {DARK("08:00", "sunrise+241"), "/windows/0/to"},
	    {DARK("08:00", "sunrise-"), "/windows/0/to"},
	    {DARK("08:00", "sunrise 5"), "/windows/0/to"},
	    {DARK("sunrise+1x", "09:00"), "/windows/0/from"},
	    {DARK("sunrise+0240", "09:00"), "/windows/0/from"},
	    {WITH("\"dark\":1"), "/windows/0/dark"},
	    {WITH("\"brightness\":0"), "/windows/0/brightness"},
	    {WITH("\"brightness\":101"), "/windows/0/brightness"},
	    {WITH("\"brightness\":5.5"), "/windows/0/brightness"},
	    {WITH("\"colorFilter\":\"inherit\""), "/windows/0/colorFilter"},
	    {WITH("\"colorFilter\":null"), "/windows/0/colorFilter"},
	    {WITH("\"installationId\":\"\""), "/windows/0/installationId"},
	    {WITH("\"installationId\":\"a/b\""), "/windows/0/installationId"},
	    {WITH("\"interval\":14"), "/windows/0/interval"},
	    {WITH("\"interval\":86401"), "/windows/0/interval"},
	    {WITH("\"dark\":true,\"weekdays\":[]"), "/windows/0/weekdays"},
	    {WITH("\"dark\":true,\"weekdays\":[\"monday\",\"monday\"]"), "/windows/0/weekdays"},
	    {WITH("\"dark\":true,\"volume\":5"), "/windows/0"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (count_faults(cases[i].text, cases[i].pointer) == 0)
			fail_msg("%s", cases[i].text);
	}
	assert_int_equal(count_faults(WITH("\"interval\":15,\"brightness\":1"), NULL), 0);
	assert_int_equal(count_faults("[]", NULL), 0);
}

TEST(sixteen_windows_at_most)
{
	char text[2000] = "[";

	for (int i = 0; i < 16; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "%s{\"from\":\"08:00\",\"to\":\"09:00\",\"dark\":true}", i ? "," : "");
	snprintf(text + strlen(text), sizeof(text) - strlen(text), "]");
	assert_int_equal(count_faults(text, NULL), 0);
	snprintf(text + strlen(text) - 1, 60,
		 ",{\"from\":\"08:00\",\"to\":\"09:00\",\"dark\":true}]");
	assert_int_equal(count_faults(text, "/windows"), 1);
}

static int finish(void **state)
{
	(void)state;
	arena_finish(&arena);
	return 0;
}

RUN_TESTS(NULL, finish)

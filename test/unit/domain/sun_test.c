#include "base/zones.h"
#include "domain/sun.h"

#include "../cmocka_test.h"

#include <time.h>

static int32_t day_of(int year, int month, int day)
{
	struct tm tm = {.tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day};

	return (int32_t)(timegm(&tm) / 86400);
}

static int minute(const char *clock)
{
	char *end;
	long hour = strtol(clock, &end, 10), rest, second = 0;

	assert_int_equal(*end, ':');
	rest = strtol(end + 1, &end, 10);
	if (*end == ':')
		second = strtol(end + 1, &end, 10);
	assert_int_equal(*end, 0);
	return (int)(hour * 60 + rest + (second >= 30));
}

struct published {
	int year, month, day;
	const char *rise, *set;
};

static void agrees(struct sun_place place, const char *zone, const struct published *table,
		   unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		const struct published *row = &table[i];
		struct sun_day sun = sun_day_at(place, zones_find(str_from(zone)),
						day_of(row->year, row->month, row->day));

		assert_true(sun.has_both);
		if (abs(sun.sunrise - minute(row->rise)) > 2 ||
		    abs(sun.sunset - minute(row->set)) > 2)
			fail_msg("%s, %d-%d-%d: %d:%02d to %d:%02d, published %s to %s", zone,
				 row->year, row->month, row->day, sun.sunrise / 60,
				 sun.sunrise % 60, sun.sunset / 60, sun.sunset % 60, row->rise,
				 row->set);
	}
}

#define AGREES(lat, lng, zone, ...)                                                                \
	do {                                                                                       \
		const struct published table[] = {__VA_ARGS__};                                    \
		agrees((struct sun_place){lat, lng}, zone, table,                                  \
		       sizeof(table) / sizeof(table[0]));                                          \
	} while (0)

/* Tables of timeanddate.com, with the days of changes of the clock. */
TEST(published_times)
{
	AGREES(51.4733, -0.0008, "Europe/London", {2015, 1, 1, "08:06", "16:01"},
	       {2015, 12, 1, "07:43", "15:55"}, {2015, 12, 12, "07:56", "15:51"},
	       {2015, 12, 25, "08:05", "15:55"});
	AGREES(59.9167, 10.7333, "Europe/Oslo", {2023, 1, 1, "09:18:34", "15:22:33"},
	       {2023, 2, 14, "07:58:22", "17:04:56"}, {2023, 3, 25, "06:04:44", "18:42:51"},
	       {2023, 3, 26, "07:01:42", "19:45:17"}, {2023, 4, 5, "06:31:33", "20:09:35"});
	AGREES(40.7167, -74.0167, "America/New_York", {2023, 1, 4, "07:20:12", "16:41:51"},
	       {2023, 3, 11, "06:14:31", "17:58:11"}, {2023, 3, 12, "07:12:53", "18:59:17"},
	       {2023, 4, 4, "06:35:03", "19:23:42"});
	AGREES(-31.55, 159.0833, "Australia/Lord_Howe", {2023, 1, 1, "05:21:41", "19:31:54"},
	       {2023, 4, 1, "06:34:25", "18:20:32"}, {2023, 4, 2, "06:05:04", "17:49:17"});
}

/* Tromso, by Accurate Times of the Islamic Crescents' Observation Project. */
TEST(near_polar_day_and_night)
{
	const struct sun_place place = {69.1044, 18.0594};
	const struct zone *zone = zones_find(STR("Etc/GMT-1"));
	struct sun_day sun;

	AGREES(69.1044, 18.0594, "Etc/GMT-1", {2010, 1, 14, "11:07:11", "12:47:04"},
	       {2010, 3, 20, "05:48:14", "18:04:26"}, {2010, 5, 16, "00:59:46", "22:36:25"},
	       {2010, 8, 10, "02:29:58", "21:12:16"}, {2010, 11, 12, "09:01:43", "14:01:02"});
	for (int day = 1; day <= 9; day++) {
		sun = sun_day_at(place, zone, day_of(2010, 1, day));
		assert_false(sun.has_both);
		assert_int_equal(sun.sunrise, sun.sunset);
		assert_true(abs(sun.sunrise - 11 * 60 - 55) < 10);
	}
	for (int day = 25; day <= 30; day++) {
		sun = sun_day_at(place, zone, day_of(2010, 6, day));
		assert_false(sun.has_both);
		assert_int_equal(sun.sunrise, 0);
		assert_int_equal(sun.sunset, 24 * 60);
	}
}

/* Anywhere, in any zone, a day begins before it ends, and the poles have no sunrise. */
TEST(all_places)
{
	const char *zones[] = {"UTC", "Asia/Kathmandu", "Pacific/Apia", "America/Adak",
			       "Australia/Eucla"};

	for (int half = -12; half <= 12; half++) {
		double lat = half * 7.5;

		for (int part = -8; part <= 8; part++) {
			double lng = part * 22.5;

			for (int i = 0; i < 5 * 73; i++) {
				struct sun_day sun = sun_day_at((struct sun_place){lat, lng},
								zones_find(str_from(zones[i % 5])),
								day_of(2026, 1, 1 + i));

				assert_true(sun.sunrise >= 0 && sun.sunrise <= sun.sunset &&
					    sun.sunset <= 24 * 60);
				assert_true(sun.has_both || sun.sunrise == sun.sunset ||
					    sun.sunset - sun.sunrise == 24 * 60);
				assert_false(sun.has_both && (lat == 90 || lat == -90));
			}
		}
	}
}

RUN_TESTS(NULL, NULL)

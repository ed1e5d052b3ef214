#include "zone_rule.h"

#include "../cmocka_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const int64_t day_s = 86400;

static struct zone_rule rule_of(const char *text)
{
	struct zone_rule rule;

	if (!zone_rule_parse(str_from(text), '3', &rule))
		fail_msg("%s is refused", text);
	return rule;
}

TEST(rules_are_read)
{
	struct zone_rule rule = rule_of("CET-1CEST,M3.5.0,M10.5.0/3");

	assert_int_equal(rule.offset_s, 3600);
	assert_int_equal(rule.summer_offset_s, 7200);
	assert_int_equal(rule.summer_start.time_s, 7200);
	assert_int_equal(rule.summer_end.time_s, 10800);
	rule = rule_of("<-0930>9:30");
	assert_int_equal(rule.offset_s, -34200);
	assert_false(rule.has_summer);
	rule = rule_of("<+1030>-10:30<+11>-11,J60/-0:30,365/+167:59:59");
	assert_int_equal(rule.summer_offset_s, 39600);
	assert_int_equal(rule.summer_start.kind, ZONE_DAY_JULIAN);
	assert_int_equal(rule.summer_start.time_s, -1800);
	assert_int_equal(rule.summer_end.kind, ZONE_DAY_OF_YEAR);
	assert_int_equal(rule.summer_end.time_s, 167 * 3600 + 3599);
}

TEST(anything_else_is_refused)
{
	static const char *const texts[] = {
	    "",
	    "C",
	    "CE-1",
	    "CET",
	    "CET-",
	    "CET-25",
	    "CET-1:60",
	    "CET-1:00:60",
	    "CET-1:",
	    "CET-1 ",
	    "CET--1",
	    "C+T-1",
	    "<CET-1",
	    "<C>-1",
	    "<C T>-1",
	    "CET-1CEST",
	    "CET-1CEST,",
	    "CET-1CEST,M3.5.0",
	    "CET-1CEST,M3.5.0,",
	    "CET-1CEST,M3.5.0,M10.5.0,",
	    "CET-1CEST,M0.5.0,M10.5.0",
	    "CET-1CEST,M13.5.0,M10.5.0",
	    "CET-1CEST,M3.0.0,M10.5.0",
	    "CET-1CEST,M3.6.0,M10.5.0",
	    "CET-1CEST,M3.5.7,M10.5.0",
	    "CET-1CEST,M3.5,M10.5.0",
	    "CET-1CEST,M3.5.0/,M10.5.0",
	    "CET-1CEST,M3.5.0/168,M10.5.0",
	    "CET-1CEST,J0,J365",
	    "CET-1CEST,J1,J366",
	    "CET-1CEST,0,366",
	    "CET-1CEST,0,4294967296",
	    "CET-1CEST,-1,365",
	    ":Europe/Zagreb",
	};
	struct zone_rule rule;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (zone_rule_parse(str_from(texts[i]), '3', &rule))
			fail_msg("\"%s\" is taken for a rule", texts[i]);
	}
}

/* RFC 9636 section 3.3.1: hours beyond 0 to 24 came with version 3. */
TEST(hours_are_those_of_the_version)
{
	struct zone_rule rule;

	assert_true(zone_rule_parse(STR("EET-2EEST,M3.4.4/24,M10.4.4/0"), '2', &rule));
	assert_false(zone_rule_parse(STR("EET-2EEST,M3.4.4/50,M10.4.4/50"), '2', &rule));
	assert_true(zone_rule_parse(STR("EET-2EEST,M3.4.4/50,M10.4.4/50"), '4', &rule));
	assert_false(zone_rule_parse(STR("EET-2EEST,M3.4.4/-1,M10.4.4/0"), '2', &rule));
	assert_false(zone_rule_parse(STR("EET-2EEST,M3.4.4/+1,M10.4.4/0"), '2', &rule));
}

TEST(summer_time_can_last_all_year)
{
	const struct zone_rule east = rule_of("XXX3EDT4,0/0,J365/23");
	const struct zone_rule north = rule_of("EST5EDT,0/0,J365/25");

	for (int64_t s = 40 * 365 * day_s; s < 60 * 365 * day_s; s += 1800) {
		assert_int_equal(zone_rule_offset_s(&east, s), -4 * 3600);
		assert_int_equal(zone_rule_offset_s(&north, s), -4 * 3600);
	}
}

/* The hours of a change move it into another year. */
TEST(changes_cross_the_year)
{
	const struct zone_rule early = rule_of("AAA0BBB,J1/-24,J100");
	const struct zone_rule late = rule_of("AAA0BBB,J100,J365/48");
	const int64_t year_s = 1767225600; /* 2026-01-01 */

	assert_int_equal(zone_rule_offset_s(&early, year_s - day_s - 1), 0);
	assert_int_equal(zone_rule_offset_s(&early, year_s - day_s), 3600);
	assert_int_equal(zone_rule_offset_s(&late, year_s + day_s - 3601), 3600);
	assert_int_equal(zone_rule_offset_s(&late, year_s + day_s - 3600), 0);
}

TEST(the_whole_range_of_times_is_fine)
{
	const struct zone_rule rule = rule_of("CET-1CEST,M3.5.0,M10.5.0/3");
	const int64_t july_s = 1782864000; /* 2026-07-01 */
	const int64_t period_s = 146097 * day_s;

	for (int64_t n = -700000000; n <= 700000000; n += 1000003)
		assert_int_equal(zone_rule_offset_s(&rule, july_s + n * period_s), 7200);
	zone_rule_offset_s(&rule, INT64_MIN);
	zone_rule_offset_s(&rule, INT64_MAX);
}

static unsigned next_random(unsigned *random, unsigned below)
{
	*random = *random * 1103515245 + 12345;
	return (*random >> 16) % below;
}

static int write_day(unsigned *random, char *text, size_t size, unsigned first_month)
{
	unsigned month = first_month + next_random(random, 3);

	switch (next_random(random, 3)) {
	case 0:
		return snprintf(text, size, "M%u.%u.%u/%u", month, 1 + next_random(random, 5),
				next_random(random, 7), next_random(random, 25));
	case 1:
		return snprintf(text, size, "J%u/%d", month * 30, 3 - (int)next_random(random, 9));
	default:
		return snprintf(text, size, "%u/%u:%02u:15", month * 30, next_random(random, 168),
				next_random(random, 60));
	}
}

/* Summer in the north or in the south. */
TEST(offsets_are_those_of_libc)
{
	unsigned random = 1;

	for (unsigned round = 0; round < 300; round++) {
		bool south = round % 2;
		char start[32], end[32], text[128];
		struct zone_rule rule;

		write_day(&random, start, sizeof(start), south ? 9 : 2);
		write_day(&random, end, sizeof(end), south ? 2 : 9);
		snprintf(text, sizeof(text), "ABC%d:%u<+01>%d:30,%s,%s",
			 (int)next_random(&random, 20) - 10, next_random(&random, 60),
			 (int)next_random(&random, 20) - 10, start, end);
		rule = rule_of(text);
		setenv("TZ", text, 1);
		tzset();
		for (unsigned i = 0; i < 2000; i++) {
			time_t moment = (time_t)(next_random(&random, 40000) * day_s +
						 next_random(&random, 86400));
			struct tm local;

			localtime_r(&moment, &local);
			if (zone_rule_offset_s(&rule, moment) != local.tm_gmtoff)
				fail_msg("%s at %lld: %d, not %ld", text, (long long)moment,
					 zone_rule_offset_s(&rule, moment), local.tm_gmtoff);
		}
	}
}

RUN_TESTS(NULL, NULL)

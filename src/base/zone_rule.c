#include "zone_rule.h"
#include "base/require.h"

enum {
	HOUR_S = 60 * 60,
	DAY_S = 24 * HOUR_S,
	DAYS_IN_400_YEARS = 146097, /* a whole number of weeks, so rules repeat */
	THURSDAY = 4,		    /* 1970-01-01 */
	OFFSET_HOURS_MAX = 24,
	TIME_HOURS_MAX = 24,
	TIME_HOURS_MAX_V3 = 167,
};

static bool take_character(struct str *text, char c)
{
	if (text->length == 0 || text->data[0] != c)
		return false;
	*text = str_from_offset(*text, 1);
	return true;
}

static bool is_letter(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Skips an abbreviation: "CET" or "<+0330>". */
static bool take_name(struct str *text)
{
	bool quoted = take_character(text, '<');
	size_t length = 0;

	while (length < text->length) {
		char c = text->data[length];

		if (!is_letter(c) && !(quoted && (is_digit(c) || c == '+' || c == '-')))
			break;
		length++;
	}
	*text = str_from_offset(*text, length);
	return length >= 3 && (!quoted || take_character(text, '>'));
}

static bool take_number(struct str *text, int min, int max, int *ret_value)
{
	int value = 0;
	size_t digits = 0;

	while (digits < text->length && digits < 3 && is_digit(text->data[digits]))
		value = value * 10 + (text->data[digits++] - '0');
	*text = str_from_offset(*text, digits);
	*ret_value = value;
	return digits > 0 && value >= min && value <= max;
}

/* [+-]hh[:mm[:ss]] */
static bool take_time(struct str *text, int hours_max, bool may_have_sign, int *ret_s)
{
	int sign = 1, hours, minutes = 0, seconds = 0;

	if (may_have_sign && take_character(text, '-'))
		sign = -1;
	else if (may_have_sign)
		take_character(text, '+');
	if (!take_number(text, 0, hours_max, &hours))
		return false;
	if (take_character(text, ':')) {
		if (!take_number(text, 0, 59, &minutes))
			return false;
		if (take_character(text, ':') && !take_number(text, 0, 59, &seconds))
			return false;
	}
	*ret_s = sign * (hours * HOUR_S + minutes * 60 + seconds);
	return true;
}

/* ",M3.5.0/3" */
static bool take_day(struct str *text, char version, struct zone_day *ret_day)
{
	int hours_max = version >= '3' ? TIME_HOURS_MAX_V3 : TIME_HOURS_MAX;
	struct zone_day day = {.kind = ZONE_DAY_OF_YEAR, .time_s = 2 * HOUR_S};
	bool fits;

	if (!take_character(text, ','))
		return false;
	if (take_character(text, 'M')) {
		day.kind = ZONE_DAY_OF_MONTH;
		fits = take_number(text, 1, 12, &day.month) && take_character(text, '.') &&
		       take_number(text, 1, 5, &day.week) && take_character(text, '.') &&
		       take_number(text, 0, 6, &day.day);
	} else if (take_character(text, 'J')) {
		day.kind = ZONE_DAY_JULIAN;
		fits = take_number(text, 1, 365, &day.day);
	} else {
		fits = take_number(text, 0, 365, &day.day);
	}
	if (fits && take_character(text, '/'))
		fits = take_time(text, hours_max, version >= '3', &day.time_s);
	*ret_day = day;
	return fits;
}

bool zone_rule_parse(struct str text, char version, struct zone_rule *ret_rule)
{
	struct zone_rule rule = {0};
	int behind_s; /* POSIX counts to the west */

	if (!take_name(&text) || !take_time(&text, OFFSET_HOURS_MAX, true, &behind_s))
		return false;
	rule.offset_s = -behind_s;
	if (text.length) {
		if (!take_name(&text))
			return false;
		rule.has_summer = true;
		rule.summer_offset_s = rule.offset_s + HOUR_S;
		if (text.length && text.data[0] != ',') {
			if (!take_time(&text, OFFSET_HOURS_MAX, true, &behind_s))
				return false;
			rule.summer_offset_s = -behind_s;
		}
		if (!take_day(&text, version, &rule.summer_start) ||
		    !take_day(&text, version, &rule.summer_end))
			return false;
	}
	*ret_rule = rule;
	return text.length == 0;
}

static bool is_leap_year(int year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Days from 1970-01-01 to January 1 of a year, 1969 or later. */
static int days_to_year(int year)
{
	int past = year - 1;

	return 365 * (year - 1970) + (past / 4 - past / 100 + past / 400) - 477;
}

static int days_to_month(int year, int month)
{
	static const int days[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};

	require(month >= 1 && month <= 12);
	return days[month - 1] + (month > 2 && is_leap_year(year));
}

static int day_of_month_rule(const struct zone_day *day, int year)
{
	int first = days_to_year(year) + days_to_month(year, day->month);
	int behind = day->month == 12 ? days_to_year(year + 1)
				      : days_to_year(year) + days_to_month(year, day->month + 1);
	/* Add 366 weeks, so that the dividend is positive even in 1969. */
	int weekday = (first + THURSDAY + 366 * 7) % 7;
	int found = first + (day->day - weekday + 7) % 7 + (day->week - 1) * 7;

	return found < behind ? found : found - 7;
}

/* Returns the moment in that year, in seconds since 1970 of the local time in which the rule is
 * given. */
static int64_t local_s_in(const struct zone_day *day, int year)
{
	int days;

	if (day->kind == ZONE_DAY_OF_MONTH)
		days = day_of_month_rule(day, year);
	else if (day->kind == ZONE_DAY_OF_YEAR)
		days = days_to_year(year) + day->day;
	else
		days = days_to_year(year) + day->day - 1 + (day->day > 59 && is_leap_year(year));
	return (int64_t)days * DAY_S + day->time_s;
}

/* 1970 to 2369. */
static int year_of_day(int day)
{
	int year = 1970 + day / 366;

	while (days_to_year(year + 1) <= day)
		year++;
	return year;
}

int zone_rule_offset_s(const struct zone_rule *rule, int64_t wall_s)
{
	const int64_t period_s = (int64_t)DAYS_IN_400_YEARS * DAY_S;
	int64_t latest_s = INT64_MIN;
	bool is_summer = false;
	int year;

	if (!rule->has_summer)
		return rule->offset_s;
	wall_s = (wall_s % period_s + period_s) % period_s;
	year = year_of_day((int)(wall_s / DAY_S));
	/* A change may come up to a week before or after its day, so in the year before or after.
	 * If summer ends when it starts again, it is summer all year (RFC 9636 section 3.3.1). */
	for (int y = year - 1; y <= year + 1; y++) {
		int64_t end_s = local_s_in(&rule->summer_end, y) - rule->summer_offset_s;
		int64_t start_s = local_s_in(&rule->summer_start, y) - rule->offset_s;

		if (end_s <= wall_s && end_s > latest_s) {
			latest_s = end_s;
			is_summer = false;
		}
		if (start_s <= wall_s && start_s >= latest_s) {
			latest_s = start_s;
			is_summer = true;
		}
	}
	return is_summer ? rule->summer_offset_s : rule->offset_s;
}

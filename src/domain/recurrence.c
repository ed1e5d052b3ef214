#include "domain/recurrence.h"
#include "base/memory.h"

#include <string.h>
#include <time.h>

enum { YEAR_MAX = 2200 };

struct part {
	const char *name;
	bool (*is_valid)(struct str value, bool is_of_months);
	bool is_of_weeks, is_of_months; /* with this FREQ only; neither: with each */
};

static const char weekdays[] = "MOTUWETHFRSASU";

static bool is_number(struct str text, int least, int most)
{
	unsigned long long number;

	return text.length && text.length <= 3 &&
	       str_to_uint64(text, (unsigned long long)most, &number) &&
	       number >= (unsigned long long)least;
}

/* Digits, as in "20261201". */
static bool read_day(struct str digits, int *ret_weekday)
{
	unsigned long long number;
	struct tm tm = {0}, seen;
	time_t at;

	if (digits.length != 8 || !str_to_uint64(digits, 99991231, &number))
		return false;
	tm.tm_year = (int)(number / 10000) - 1900;
	tm.tm_mon = (int)(number / 100 % 100) - 1;
	tm.tm_mday = (int)(number % 100);
	seen = tm;
	at = timegm(&seen);
	*ret_weekday = (seen.tm_wday + 6) % 7;
	return at >= 0 && seen.tm_year == tm.tm_year && seen.tm_mon == tm.tm_mon &&
	       seen.tm_mday == tm.tm_mday && tm.tm_year <= YEAR_MAX - 1900;
}

static bool is_interval(struct str value, bool is_of_months)
{
	(void)is_of_months;
	return is_number(value, 1, RECURRENCE_INTERVAL_MAX);
}

static bool is_until(struct str value, bool is_of_months)
{
	int weekday;

	(void)is_of_months;
	return read_day(value, &weekday);
}

static bool is_weekday(struct str value, bool is_of_months)
{
	(void)is_of_months;
	for (size_t i = 0; value.length == 2 && i < sizeof(weekdays) - 1; i += 2)
		if (memcmp(value.data, weekdays + i, 2) == 0)
			return true;
	return false;
}

/* A sign and a number of at most so much, as in "-1", before what rest names. */
static bool take_ordinal(struct str *text, int most)
{
	size_t sign = text->length && text->data[0] == '-';
	size_t digits = sign;

	while (digits < text->length && text->data[digits] >= '0' && text->data[digits] <= '9')
		digits++;
	if (digits == sign || text->data[sign] == '0' ||
	    !is_number((struct str){text->data + sign, digits - sign}, 1, most))
		return false;
	*text = str_from_offset(*text, digits);
	return true;
}

static bool are_weekdays(struct str value, bool is_of_months)
{
	struct str one;

	if (value.length == 0 || value.data[value.length - 1] == ',')
		return false;
	while (str_next(&value, ',', &one)) {
		if (is_of_months && one.length > 2 && !take_ordinal(&one, 5))
			return false;
		if (!is_weekday(one, false))
			return false;
	}
	return true;
}

static bool are_month_days(struct str value, bool is_of_months)
{
	struct str one;

	(void)is_of_months;
	if (value.length == 0 || value.data[value.length - 1] == ',')
		return false;
	while (str_next(&value, ',', &one))
		if (!take_ordinal(&one, 31) || one.length)
			return false;
	return true;
}

static const struct part parts[] = {
    {"INTERVAL", is_interval, false, false}, {"UNTIL", is_until, false, false},
    {"BYDAY", are_weekdays, true, true},     {"BYMONTHDAY", are_month_days, false, true},
    {"WKST", is_weekday, true, false},
};

/* Sets the part's bit in seen. */
static bool read_part(struct str text, struct str frequency, unsigned *seen)
{
	size_t sign = str_find(text, '=');
	struct str name = {text.data, sign},
		   value = str_from_offset(text, sign + (sign < text.length));
	bool is_of_weeks = str_equal(frequency, STR("WEEKLY")),
	     is_of_months = str_equal(frequency, STR("MONTHLY"));

	for (unsigned i = 0; i < array_length(parts); i++) {
		const struct part *part = &parts[i];
		bool is_of_all = !part->is_of_weeks && !part->is_of_months;

		if (!str_equal(name, str_from(part->name)))
			continue;
		if (*seen >> i & 1)
			return false;
		*seen |= 1u << i;
		return (is_of_all || (part->is_of_weeks && is_of_weeks) ||
			(part->is_of_months && is_of_months)) &&
		       part->is_valid(value, is_of_months);
	}
	return false;
}

static bool is_rule(struct str rule)
{
	static const char *const frequencies[] = {"DAILY", "WEEKLY", "MONTHLY", "YEARLY"};
	enum { BYDAY = 1 << 2, BYMONTHDAY = 1 << 3 };
	struct str part = {0}, frequency;
	bool is_known = false;
	unsigned seen = 0;

	(void)str_next(&rule, ';', &part);
	if (!str_starts_with(part, STR("FREQ=")))
		return false;
	frequency = str_from_offset(part, strlen("FREQ="));
	for (unsigned i = 0; i < array_length(frequencies); i++)
		is_known |= str_equal(frequency, str_from(frequencies[i]));
	while (is_known && str_next(&rule, ';', &part))
		is_known = read_part(part, frequency, &seen);
	return is_known && (seen & (BYDAY | BYMONTHDAY)) != (BYDAY | BYMONTHDAY);
}

const char *recurrence_rule_check(struct str rule)
{
	bool ends_in_sign = rule.length && rule.data[rule.length - 1] == ';';

	if (rule.length == 0 ||
	    (rule.length <= RECURRENCE_LENGTH_MAX && !ends_in_sign && is_rule(rule)))
		return NULL;
	return "must be empty or a recurrence rule of RFC 5545 such as "
	       "FREQ=WEEKLY;INTERVAL=2;BYDAY=SA,SU or "
	       "FREQ=MONTHLY;BYMONTHDAY=1,15;UNTIL=20301231";
}

bool recurrence_read_date(struct str date, int *ret_weekday)
{
	char digits[8];

	if (date.length != 10 || date.data[4] != '-' || date.data[7] != '-')
		return false;
	memcpy(digits, date.data, 4);
	memcpy(digits + 4, date.data + 5, 2);
	memcpy(digits + 6, date.data + 8, 2);
	return read_day((struct str){digits, sizeof(digits)}, ret_weekday);
}

const char *recurrence_start_check(struct str date)
{
	int weekday;

	return date.length == 0 || recurrence_read_date(date, &weekday)
		   ? NULL
		   : "must be empty or a date such as 2026-12-01";
}

#include "base/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

uint64_t clock_monotonic_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

uint64_t clock_monotonic_ms(void)
{
	return clock_monotonic_us() / 1000;
}

int64_t clock_wall_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* value: below 100. */
static void put_pair(char *text, int value)
{
	static const char pairs[] =
	    "0001020304050607080910111213141516171819202122232425262728293031323334"
	    "3536373839404142434445464748495051525354555657585960616263646566676869"
	    "707172737475767778798081828384858687888990919293949596979899";

	memcpy(text, pairs + 2 * value, 2);
}

/* Year, month and day of a day counted from 1970-01-01: the algorithm "civil_from_days" of Howard
 * Hinnant, "chrono-Compatible Low-Level Date Algorithms". Its years begin in March, its eras have
 * 400 years. gmtime_r() does the same, but takes a lock and checks the time zone first. */
static void put_date(int64_t day, char *text)
{
	int64_t shifted = day + 719468;
	int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
	int day_of_era = (int)(shifted - era * 146097);
	int year_of_era =
	    (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
	int day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	int month_from_march = (5 * day_of_year + 2) / 153;
	int month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
	int year = (int)(era * 400) + year_of_era + (month <= 2);

	put_pair(text, year / 100);
	put_pair(text + 2, year % 100);
	put_pair(text + 5, month);
	put_pair(text + 8, day_of_year - (153 * month_from_march + 2) / 5 + 1);
}

void timestamp_format(int64_t wall_us, char ret_text[static TIMESTAMP_LENGTH + 1])
{
	const int64_t first_us = -62135596800LL * 1000000;	   /* 0001-01-01 */
	const int64_t last_us = 253402300799LL * 1000000 + 999999; /* 9999-12-31 */
	const int64_t day_ms = 24 * 60 * 60 * 1000;
	int64_t ms, day;
	int left_ms;

	wall_us = wall_us < first_us ? first_us : wall_us > last_us ? last_us : wall_us;
	ms = wall_us / 1000 - (wall_us % 1000 < 0);
	day = ms / day_ms - (ms % day_ms < 0);
	left_ms = (int)(ms - day * day_ms);
	memcpy(ret_text, "0000-00-00T00:00:00.000Z", TIMESTAMP_LENGTH + 1);
	put_date(day, ret_text);
	put_pair(ret_text + 11, left_ms / 3600000);
	put_pair(ret_text + 14, left_ms / 60000 % 60);
	put_pair(ret_text + 17, left_ms / 1000 % 60);
	ret_text[20] = (char)('0' + left_ms % 1000 / 100);
	put_pair(ret_text + 21, left_ms % 100);
}

bool timestamp_parse(struct str text, int64_t *ret_wall_us)
{
	char copy[TIMESTAMP_LENGTH + 1] = {0}, again[TIMESTAMP_LENGTH + 1];
	struct tm parts = {0};
	int ms, length = 0;

	if (text.length != TIMESTAMP_LENGTH)
		return false;
	memcpy(copy, text.data, TIMESTAMP_LENGTH);
	/* NOLINTNEXTLINE(cert-err34-c): no number of so few digits overflows. */
	if (sscanf(copy, "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ%n", &parts.tm_year, &parts.tm_mon,
		   &parts.tm_mday, &parts.tm_hour, &parts.tm_min, &parts.tm_sec, &ms,
		   &length) != 7 ||
	    length != TIMESTAMP_LENGTH)
		return false;
	parts.tm_year -= 1900;
	parts.tm_mon--;
	/* timegm() takes 30 February as 2 March: then the formatted text differs. */
	*ret_wall_us = (int64_t)timegm(&parts) * 1000000 + ms * 1000;
	timestamp_format(*ret_wall_us, again);
	return memcmp(copy, again, TIMESTAMP_LENGTH) == 0;
}

bool timestamp_read(struct str text, int64_t *ret_wall_us)
{
	enum { POINT_AT = TIMESTAMP_LENGTH - sizeof("000Z"), DIGITS_AT = POINT_AT + 1 };
	char full[] = "0000-00-00T00:00:00.000Z";
	size_t z_at = text.length - 1;

	if (text.length <= POINT_AT || z_at == DIGITS_AT || text.data[z_at] != 'Z')
		return false;
	for (size_t i = DIGITS_AT; i < z_at; i++) {
		if (text.data[i] < '0' || text.data[i] > '9')
			return false;
	}
	/* Digits beyond milliseconds are left out. */
	memcpy(full, text.data, z_at < TIMESTAMP_LENGTH - 1 ? z_at : TIMESTAMP_LENGTH - 1);
	return timestamp_parse((struct str){full, TIMESTAMP_LENGTH}, ret_wall_us);
}

bool timestamp_is_valid(struct str text)
{
	int64_t wall_us;

	return timestamp_parse(text, &wall_us);
}

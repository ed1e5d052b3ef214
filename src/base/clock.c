#include "base/clock.h"

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

static void put_digits(char *text, int digits, int value)
{
	for (int i = digits - 1; i >= 0; i--) {
		text[i] = (char)('0' + value % 10);
		value /= 10;
	}
}

/* Year, month and day of a day counted from 1970-01-01: the algorithm "civil_from_days" of Howard
 * Hinnant, "chrono-Compatible Low-Level Date Algorithms". Its years begin in March, its eras have
 * 400 years. gmtime_r() does the same but takes a lock and looks at the time zone before. */
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

	put_digits(text, 4, (int)(era * 400) + year_of_era + (month <= 2));
	put_digits(text + 5, 2, month);
	put_digits(text + 8, 2, day_of_year - (153 * month_from_march + 2) / 5 + 1);
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
	put_digits(ret_text + 11, 2, left_ms / 3600000);
	put_digits(ret_text + 14, 2, left_ms / 60000 % 60);
	put_digits(ret_text + 17, 2, left_ms / 1000 % 60);
	put_digits(ret_text + 20, 3, left_ms % 1000);
}

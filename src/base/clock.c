#include "base/clock.h"

#include <stdio.h>
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

void timestamp_format(int64_t wall_us, char ret_text[static TIMESTAMP_LENGTH + 1])
{
	const int64_t first_us = -62135596800LL * 1000000;	   /* 0001-01-01 */
	const int64_t last_us = 253402300799LL * 1000000 + 999999; /* 9999-12-31 */
	struct tm tm;
	int64_t ms;
	time_t seconds;

	wall_us = wall_us < first_us ? first_us : wall_us > last_us ? last_us : wall_us;
	ms = wall_us / 1000 - (wall_us % 1000 < 0);
	seconds = ms / 1000 - (ms % 1000 < 0);
	gmtime_r(&seconds, &tm);
	for (int i = 0; i < TIMESTAMP_LENGTH; i++)
		ret_text[i] = "0000-00-00T00:00:00.000Z"[i];
	ret_text[TIMESTAMP_LENGTH] = '\0';
	put_digits(ret_text, 4, tm.tm_year + 1900);
	put_digits(ret_text + 5, 2, tm.tm_mon + 1);
	put_digits(ret_text + 8, 2, tm.tm_mday);
	put_digits(ret_text + 11, 2, tm.tm_hour);
	put_digits(ret_text + 14, 2, tm.tm_min);
	put_digits(ret_text + 17, 2, tm.tm_sec);
	put_digits(ret_text + 20, 3, (int)(ms - (int64_t)seconds * 1000));
}

#include "clock.h"

#include <sys/time.h>
#include <time.h>

static int64_t now_ms;
static const struct clock_change *zone;
static size_t zone_count;

void clock_set(int64_t wanted_ms, const struct clock_change *changes, size_t count)
{
	now_ms = wanted_ms;
	zone = changes;
	zone_count = count;
}

int64_t clock_now_ms(void)
{
	return now_ms;
}

int32_t clock_offset_s(int64_t at_s)
{
	size_t first = 0, last = zone_count;

	if (zone_count == 0)
		return 0;
	while (last - first > 1) {
		size_t middle = first + (last - first) / 2;

		if (zone[middle].at_s <= at_s)
			first = middle;
		else
			last = middle;
	}
	return zone[first].offset_s;
}

int64_t clock_monotonic_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Replacements that the engine calls instead of the C library's functions. */
int render_gettimeofday(struct timeval *time, void *no_zone);
int render_clock_gettime(clockid_t clock, struct timespec *time);
struct tm *render_localtime_r(const time_t *time, struct tm *ret_parts);

int64_t render_local_offset_ms(int64_t local_ms);

/* Returns the offset as ECMAScript does: a local time that exists twice or not at all has the
 * offset before the change of the clocks. */
int64_t render_local_offset_ms(int64_t local_ms)
{
	enum { DAY_S = 24 * 3600 };
	int64_t local_s = local_ms / 1000 - (local_ms % 1000 < 0);
	int64_t before_s = clock_offset_s(local_s - DAY_S);
	int64_t after_s = clock_offset_s(local_s + DAY_S);

	if (clock_offset_s(local_s - before_s) == before_s ||
	    clock_offset_s(local_s - after_s) != after_s)
		return before_s * 1000;
	return after_s * 1000;
}

int render_gettimeofday(struct timeval *time, void *no_zone)
{
	(void)no_zone;
	time->tv_sec = now_ms / 1000 - (now_ms % 1000 < 0);
	time->tv_usec = (now_ms % 1000 + 1000) % 1000 * 1000;
	return 0;
}

int render_clock_gettime(clockid_t clock, struct timespec *time)
{
	(void)clock;
	*time = (struct timespec){0};
	return 0;
}

/* The engine uses only the offset. */
struct tm *render_localtime_r(const time_t *time, struct tm *ret_parts)
{
	*ret_parts = (struct tm){.tm_gmtoff = clock_offset_s(*time)};
	return ret_parts;
}

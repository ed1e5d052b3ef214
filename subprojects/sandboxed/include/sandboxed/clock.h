/* The time by which shares, lifetimes and turns are counted. */
#pragma once

#include <stdint.h>
#include <time.h>

/* Returns monotonic time in microseconds. */
static inline int64_t clock_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Returns monotonic time in milliseconds. */
static inline int64_t clock_ms(void)
{
	return clock_us() / 1000;
}

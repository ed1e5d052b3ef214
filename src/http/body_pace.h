/* Slowest pace of a body: a caller that keeps one unfinished holds its memory. */
#pragma once

#include "base/limits.h"

#include <stdint.h>

/* Returns the time by which the next bytes must arrive, in microseconds of any clock, after so many
 * bytes arrived by due_us. Each byte adds the time that LIMIT_BODY_BYTES_PER_S allows for it, but
 * fast bytes never allow a pause longer than grace_us from now. */
static inline uint64_t body_pace_next_us(uint64_t due_us, uint64_t now_us, uint64_t grace_us,
					 uint64_t bytes)
{
	uint64_t bought_us = due_us + bytes * 1000000 / LIMIT_BODY_BYTES_PER_S;

	return bought_us < now_us + grace_us ? bought_us : now_us + grace_us;
}

/* Slowest pace of a body: a caller that keeps one unfinished holds its memory. */
#pragma once

#include "base/limits.h"

#include <stdint.h>

/* The time by which the next bytes must be here, in microseconds of any clock: it was due_us, and
 * now so many came. Each byte buys as much time as LIMIT_BODY_BYTES_PER_S allows for it; but what
 * came fast does not pay for a longer rest than grace_us from now. */
static inline uint64_t body_pace_next_us(uint64_t due_us, uint64_t now_us, uint64_t grace_us,
					 uint64_t bytes)
{
	uint64_t bought_us = due_us + bytes * 1000000 / LIMIT_BODY_BYTES_PER_S;

	return bought_us < now_us + grace_us ? bought_us : now_us + grace_us;
}

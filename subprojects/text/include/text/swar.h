/* Checks eight characters at a time in a register, to skip the many that need no work. The
 * functions return a number other than 0 if one of the eight matches, but not which one. */
#pragma once

#include <stdint.h>
#include <string.h>

#define SWAR_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

static inline uint64_t swar_load(const char *text)
{
	uint64_t eight;

	memcpy(&eight, text, sizeof(eight));
	return eight;
}

/* Whether one of the eight bytes is below byte, which is 128 at most. */
static inline uint64_t swar_has_below(uint64_t eight, uint8_t byte)
{
	return (eight - SWAR_EACH(byte)) & ~eight & SWAR_EACH(0x80);
}

static inline uint64_t swar_has(uint64_t eight, uint8_t byte)
{
	return swar_has_below(eight ^ SWAR_EACH(byte), 1);
}

/* Whether one of the eight bytes is from first to last, which are ASCII. */
static inline uint64_t swar_has_between(uint64_t eight, uint8_t first, uint8_t last)
{
	uint64_t low = eight & SWAR_EACH(0x7f);
	uint64_t from_first = low + SWAR_EACH((uint8_t)(0x80 - first));
	uint64_t behind_last = low + SWAR_EACH((uint8_t)(0x7f - last));

	return from_first & ~behind_last & ~eight & SWAR_EACH(0x80);
}

/* Clocks and timestamps. */
#pragma once

#include <text/str.h>

#include <stdint.h>

enum { TIMESTAMP_LENGTH = 24 }; /* 2026-11-20T08:15:30.123Z */

/* Milliseconds of CLOCK_MONOTONIC. */
uint64_t clock_monotonic_ms(void);
/* Microseconds of CLOCK_MONOTONIC. */
uint64_t clock_monotonic_us(void);
/* Microseconds since 1970-01-01T00:00:00Z. */
int64_t clock_wall_us(void);

/* Writes "2026-11-20T08:15:30.123Z" and a NUL. Years 0001 to 9999; others are clamped. */
void timestamp_format(int64_t wall_us, char ret_text[static TIMESTAMP_LENGTH + 1]);
/* Reads a text in the format of timestamp_format(). Returns false if it has another form, or if its
 * day or hour does not exist. */
bool timestamp_parse(struct str text, int64_t *ret_wall_us);
/* Reads it also with any number of digits behind the seconds, of which milliseconds are kept, or
 * without a point and digits: "2026-11-20T08:15:30Z". */
bool timestamp_read(struct str text, int64_t *ret_wall_us);
bool timestamp_is_valid(struct str text);

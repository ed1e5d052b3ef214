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

/* The time by the clock that all instances have in common, the database's, in microseconds since
 * 1970-01-01T00:00:00Z: for what is compared with times of rows, and for what one instance writes
 * and another reads. Until clock_note_ahead() it is that of this machine. Any thread may call it.
 */
int64_t clock_common_us(void);
/* Notes by how much the clock of this machine is ahead of the common one. */
void clock_note_ahead(int64_t ahead_us);

/* Writes "2026-11-20T08:15:30.123Z" and a NUL. Years 0001 to 9999; others are clamped. */
void timestamp_format(int64_t wall_us, char ret_text[static TIMESTAMP_LENGTH + 1]);
/* Reads a text in the format of timestamp_format(). Returns false if it has another form, or if its
 * day or hour does not exist. */
bool timestamp_parse(struct str text, int64_t *ret_wall_us);
/* Reads it also with any number of digits behind the seconds, of which milliseconds are kept, or
 * without a point and digits: "2026-11-20T08:15:30Z". */
bool timestamp_read(struct str text, int64_t *ret_wall_us);
bool timestamp_is_valid(struct str text);

/* Numbers and times in the tables of displayctl status. */
#pragma once

#include "base/buffer.h"

#include <stdbool.h>
#include <stdint.h>

/* Appends the time since "2026-11-20T08:15:30.123Z", in its largest unit: "3 d", "12 min"; is_long:
 * in the largest two. */
void status_put_age(struct buffer *out, const char *since, bool is_long);

/* "1.2 ms", "350 ms", "2.5 s" */
void status_put_us(struct buffer *out, int64_t us);

/* Right-aligned, so wide and after a gap of two; the text is emptied. */
void status_put_cell(struct buffer *out, struct buffer *cell, size_t width);

/* The same of a number. */
void status_put_number(struct buffer *out, int64_t number, size_t width);
void status_put_rate(struct buffer *out, double rate, size_t width);
void status_put_duration(struct buffer *out, int64_t us, size_t width);

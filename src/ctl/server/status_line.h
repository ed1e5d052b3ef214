/* Lines for a terminal: styles, what is too long or too much, and how a log line is told.
 *
 * In a text that is to be shown, a style begins with one of these characters. No text of the server
 * has them: they are taken out of what it says. */
#pragma once

#include "base/buffer.h"

#include <stdbool.h>
#include <stdint.h>

enum status_style {
	STATUS_PLAIN = 1,
	STATUS_BOLD,
	STATUS_RED,
	STATUS_YELLOW,
	STATUS_STYLE_END,
};

struct status_page {
	size_t width;  /* longer lines are cut; 0: none is */
	size_t height; /* further lines are left out; 0: none is */
	bool has_colours;
	bool is_over; /* it is written over the one before */
};

/* Words of a number or a time. */
struct status_words {
	char text[32];
};

int64_t status_now_s(void);
/* Seconds since 1970 of "2026-11-20T08:15:30.123Z"; 0: not a time. */
int64_t status_time(const char *text);
/* The time since then in its largest unit: "3 d", "12 min"; is_long: in the largest two. */
struct status_words status_age(const char *since, bool is_long);
/* "1.2 ms", "350 ms", "2.5 s" */
struct status_words status_lasting(int64_t us);
/* "350 MiB", "1.2 GiB" */
struct status_words status_size(int64_t bytes);

__attribute__((format(printf, 3, 4))) void status_put(struct buffer *out, enum status_style style,
						      const char *format, ...);

/* Lines of a text, each of which has its line feed. */
size_t status_lines(struct str text);

/* Appends the first lines, and the last ones up to all lines in total. */
void status_take_ends(struct str text, size_t first, size_t all, struct buffer *out);

/* A line of the log, as a person reads it: local time, process, what has happened. One in another
 * format stays as it is. */
void status_line_error(struct str line, struct buffer *out);

/* Whether two lines of the log say the same, at whatever times. */
bool status_line_is_again(struct str line, struct str other);

void status_page_write(const struct status_page *page, struct str text, struct buffer *out);

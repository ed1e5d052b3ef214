/* Lines for a terminal: styles, cutting to its size, and readable log lines.
 *
 * In a text to print, a style begins with one of these characters. Log lines are escaped, so they
 * contain none. */
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
	size_t width;  /* longer lines are cut; 0: unlimited */
	size_t height; /* further lines are left out; 0: unlimited */
	bool has_colours;
	bool is_over; /* overwrites the previous page */
};

/* A formatted number or time. */
struct status_words {
	char text[32];
};

/* Returns the current time in seconds since 1970. */
int64_t status_now_s(void);
/* Returns the seconds since 1970 of "2026-11-20T08:15:30.123Z"; 0 if it is not a time. */
int64_t status_time(const char *text);
/* Returns the time passed since then in its largest unit: "3 d", "12 min"; is_long: in its two
 * largest. since: as for status_time(). */
struct status_words status_age(const char *since, bool is_long);
/* Formats a duration: "1.2 ms", "350 ms", "2.5 s". */
struct status_words status_lasting(int64_t us);
/* Formats a size: "350 MiB", "1.2 GiB". */
struct status_words status_size(int64_t bytes);

/* Appends a formatted text in this style. */
__attribute__((format(printf, 3, 4))) void status_put(struct buffer *out, enum status_style style,
						      const char *format, ...);

/* Returns the number of lines of a text; each must end with a line feed. */
size_t status_lines(struct str text);

/* Appends the first lines of the text, then so many of the last that there are all lines in total.
 */
void status_take_ends(struct str text, size_t first, size_t all, struct buffer *out);

/* Appends a line of the log for people: local time, process, group, message. A line in another
 * format is appended unchanged, but escaped. */
void status_line_error(struct str line, struct buffer *out);

/* Whether two lines of the log differ in their time only. */
bool status_line_is_again(struct str line, struct str other);

/* Appends a text as the page shows it: with its styles, cut to its size. */
void status_page_write(const struct status_page *page, struct str text, struct buffer *out);

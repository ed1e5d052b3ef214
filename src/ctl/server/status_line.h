/* Lines for a terminal: styles, what is too long or too much, and how a log line is told.
 *
 * In a text that is to be shown, a style begins with one of these characters. No text of the server
 * has them: they are taken out of what it says. */
#pragma once

#include "base/buffer.h"

#include <stdbool.h>

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

/* Progress of a long command, on standard error: a line that changes once a second on a terminal,
 * and a line once a minute otherwise, as in a log. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROGRESS_LINE_MAX = 100 };

struct progress {
	bool is_terminal;
	bool has_line; /* on the terminal, without an end */
	uint64_t shown_ms;
};

void progress_begin(struct progress *progress, bool is_terminal, uint64_t now_ms);
/* Whether a line is due. */
bool progress_is_due(const struct progress *progress, uint64_t now_ms);
/* Writes the line into ret_line, as it is to be printed. */
void progress_write(struct progress *progress, uint64_t now_ms, size_t done, size_t all,
		    size_t failed, char ret_line[static PROGRESS_LINE_MAX]);
/* Returns what is to be printed at the end: an end of the line, or nothing. */
const char *progress_end(const struct progress *progress);

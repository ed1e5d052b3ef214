/* Collects the lines that a script printed, up to its limits. */
#pragma once

#include "base/arena.h"
#include "base/buffer.h"

#include <sandboxed/frame.h>

/* Start with {0}; the owner frees the text with buffer_finish(). */
struct log_lines {
	struct buffer text; /* lines that end with "\n" */
	unsigned count;
	unsigned dropped; /* lines without room */
};

/* Adds each line of the text. A line without room is cut between two characters, with a mark at its
 * end, or dropped. */
void log_lines_add(struct log_lines *log, struct str text);

/* Returns the lines of the log, the last one with the number of dropped lines, within the same
 * limits. NULs, which PostgreSQL does not allow, become spaces. */
struct str log_text(struct str log, unsigned dropped, struct arena *arena);

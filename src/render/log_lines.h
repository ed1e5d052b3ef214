/* Collects the lines that a script printed, up to its limits. */
#pragma once

#include "base/arena.h"
#include "base/buffer.h"

#include <sandboxed/frame.h>

/* Start with {0}; the text is buffer_finish()ed by its owner. */
struct log_lines {
	struct buffer text; /* lines that end with "\n" */
	unsigned count;
	unsigned dropped; /* lines that there was no room for */
};

/* Adds each line of the text. One that there is no room for is cut between two characters, with a
 * mark at its end, or dropped. */
void log_lines_add(struct log_lines *log, struct str text);

/* The lines of the log, and in the last one how many are not there; within the same bounds. A NUL,
 * which no text of PostgreSQL has, becomes a space. */
struct str log_text(struct str log, unsigned dropped, struct arena *arena);

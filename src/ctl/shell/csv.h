/* Comma-separated values (RFC 4180), read and written.
 *
 *   csv_open(text) -> csv_next() a row: fields, the line on which it begins
 *
 * Rows end with CRLF or LF; a field in quotes may hold commas, line feeds, and quotes that are
 * doubled. Empty lines are passed over. */
#pragma once

#include "base/arena.h"
#include "base/buffer.h"

enum { CSV_FIELDS_MAX = 32 };

struct csv {
	struct str rest;
	struct arena *arena;
	unsigned line;			   /* on which rest begins, from 1 */
	struct str fields[CSV_FIELDS_MAX]; /* of the row, in the arena, with a NUL behind each */
	unsigned field_count;
	unsigned row_line;
	const char *fault; /* of the row: a sentence without subject; static */
};

/* A mark of the byte order in front is passed over. */
void csv_open(struct csv *csv, struct str text, struct arena *arena);

/* False at the end. A row with a fault has no fields; the next one can be read all the same. */
__attribute__((warn_unused_result)) bool csv_next(struct csv *csv);

/* Appends a field, in quotes if it needs them. */
void csv_append(struct buffer *text, struct str field);

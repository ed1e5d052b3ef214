/* Comma-separated values (RFC 4180), read and written.
 *
 *   csv_open(text) -> csv_next() for each row: its fields and the number of its first line
 *
 * Rows end with CRLF or LF. A quoted field may contain commas, line feeds and doubled quotes. Empty
 * lines are skipped. The text must stay valid while it is read. */
#pragma once

#include "base/arena.h"
#include "base/buffer.h"

enum { CSV_FIELDS_MAX = 32 };

struct csv {
	struct str rest;
	struct arena *arena;
	unsigned line; /* number of the line on which rest begins, from 1 */
	struct str
	    fields[CSV_FIELDS_MAX]; /* fields of the row, in the arena, each followed by a NUL */
	unsigned field_count;
	unsigned row_line;
	const char *fault; /* fault of the row, without subject; static; NULL: none */
};

/* Begins to read the text; a byte order mark is skipped. */
void csv_open(struct csv *csv, struct str text, struct arena *arena);

/* Reads the next row. Returns false at the end of the text. A row with a fault has no fields;
 * reading can continue after it. */
__attribute__((warn_unused_result)) bool csv_next(struct csv *csv);

/* Appends a field, quoted if necessary. */
void csv_append(struct buffer *text, struct str field);

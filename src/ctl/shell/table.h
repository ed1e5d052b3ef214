/* Tables for people, at most as wide as the terminal.
 *
 *   record -> columns (an object's members are "sleep.start") -> cells -> widths -> lines
 *
 * Widths are in terminal columns: wide characters, such as Chinese, take two. */
#pragma once

#include "base/buffer.h"
#include "record/record.h"

enum { TABLE_COLUMNS_MAX = 64, TABLE_NAME_BYTES = 64 };

struct table_column {
	const struct record_field *field;
	size_t offset;	    /* offset of the member in a row, in bytes */
	bool may_be_absent; /* together with its object; then the bool at null_offset is true */
	size_t null_offset;
	char name[TABLE_NAME_BYTES];
	size_t width;
	bool is_left_out; /* dropped because the terminal is too narrow */
};

struct table {
	struct table_column columns[TABLE_COLUMNS_MAX];
	unsigned column_count;
};

/* Fills the table with the named columns of a record, without optional ones that no row has. */
void table_init(struct table *table, const struct record *record, const void *rows,
		unsigned row_count, size_t row_size);

/* Appends a value for people: on one line, with control characters escaped. Null is "-". */
void table_append_value(const struct table_column *column, const void *row, struct buffer *text);

/* Returns the width of a text in terminal columns. */
size_t table_width(struct str text);

/* Appends a head and a line for each row. width: of the terminal; 0: no limit. If the width is
 * exceeded, texts are cut first, then columns are dropped (is_left_out). */
void table_append(struct table *table, const void *rows, unsigned row_count, size_t row_size,
		  size_t width, struct buffer *text);

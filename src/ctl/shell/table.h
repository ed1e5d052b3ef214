/* Tables for people, on a terminal no wider than it is.
 *
 *   record -> columns (an object's members are "sleep.start") -> cells -> widths -> lines
 *
 * Widths are those of characters on a terminal: wide ones, as of Chinese, take two places. */
#pragma once

#include "base/buffer.h"
#include "record/record.h"

enum { TABLE_COLUMNS_MAX = 64, TABLE_NAME_BYTES = 64 };

struct table_column {
	const struct record_field *field;
	size_t offset;	    /* of the member in a row */
	bool may_be_absent; /* with its object: then a bool at null_offset says so */
	size_t null_offset;
	char name[TABLE_NAME_BYTES];
	size_t width;
	bool is_left_out; /* there is no room for it */
};

struct table {
	struct table_column columns[TABLE_COLUMNS_MAX];
	unsigned column_count;
};

/* The columns of a record that have a name, without optional ones that none of the rows has. */
void table_init(struct table *table, const struct record *record, const void *rows,
		unsigned row_count, size_t row_size);

/* A value as a person reads it, on one line, without what a terminal would obey; "-": there is
 * none, as null in JSON. */
void table_append_value(const struct table_column *column, const void *row, struct buffer *text);

/* Places that a text takes on a terminal. */
size_t table_width(struct str text);

/* Lines with a head; width: of the terminal, 0: none limits it. If columns have no room, texts
 * are cut, and at last columns are left out (is_left_out). */
void table_append(struct table *table, const void *rows, unsigned row_count, size_t row_size,
		  size_t width, struct buffer *text);

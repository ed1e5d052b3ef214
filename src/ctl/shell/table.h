/* Tables for people, of JSON, at most as wide as the terminal.
 *
 *   objects -> columns (an object's members are "sleep.start") -> cells -> widths -> lines
 *
 * Widths are in terminal columns: wide characters, such as Chinese, take two. */
#pragma once

#include "base/buffer.h"

#include <yyjson.h>

enum { TABLE_COLUMNS_MAX = 64, TABLE_DEPTH_MAX = 3 };

struct table_column {
	struct str path[TABLE_DEPTH_MAX]; /* names of members, from the outermost; of the JSON */
	unsigned depth;
	size_t width;
	bool is_described; /* named by the list's description */
	bool is_text;	   /* may be cut */
	bool is_left_out;  /* dropped because the terminal is too narrow */
};

struct table {
	struct table_column columns[TABLE_COLUMNS_MAX];
	unsigned column_count;
	bool is_described;
	bool has_id; /* the last column identifies the rows */
};

/* Fills the table with the members of an object, or of the objects of an array, in their order. */
void table_init(struct table *table, yyjson_val *rows);

/* Moves the columns with these names, separated by spaces, to the front, other IDs to the end, and
 * last the one that identifies the rows, if id is not empty. A table without rows gets these
 * columns. */
void table_order(struct table *table, yyjson_val *rows, struct str names, struct str id);

/* Appends a column's name, such as "sleep.start". */
void table_append_name(const struct table_column *column, struct buffer *text);

/* Appends a row's value for people: on one line, with control characters escaped. Null is "-". */
void table_append_value(const struct table_column *column, yyjson_val *row, struct buffer *text);

/* Returns the width of a text in terminal columns. */
size_t table_width(struct str text);

/* Appends a head and a line for each row. width: of the terminal; 0: no limit. If the width is
 * exceeded, long texts are cut, then columns that were not described are dropped (is_left_out),
 * then texts are cut further, then other columns are dropped. */
void table_append(struct table *table, yyjson_val *rows, size_t width, struct buffer *text);

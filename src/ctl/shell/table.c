#include "table.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/require.h"
#include "ctl/ctl.h"

#include <stdio.h>
#include <stdlib.h>
#include <text/utf8.h>
#include <wchar.h>

enum {
	GAP = 2,
	TEXT_WIDTH_MIN = 8,	/* minimum width of a text that is cut */
	MINUTES_LENGTH = 16,	/* "2026-07-01T12:34" */
	COLUMNS_KEPT_LEAST = 2, /* such as ID and name */
};

static void add_columns(struct table *table, const struct record *record, size_t offset)
{
	const struct record_field *object = NULL;

	for (unsigned i = 0; i < record->field_count; i++) {
		const struct record_field *field = &record->fields[i];
		struct table_column *column = &table->columns[table->column_count];

		if (field->kind == RECORD_KIND_OPEN)
			object = field;
		else if (field->kind == RECORD_KIND_CLOSE)
			object = NULL;
		else if (field->kind == RECORD_KIND_ROW && field->is_shown)
			add_columns(table, field->row, offset + field->offset);
		if (!field->name || field->kind == RECORD_KIND_OPEN ||
		    (field->is_private && !record->has_private))
			continue;
		require(table->column_count < TABLE_COLUMNS_MAX);
		*column = (struct table_column){.field = field, .offset = offset + field->offset};
		if (object && object->nullable) {
			column->may_be_absent = true;
			column->null_offset = offset + object->offset;
		}
		snprintf(column->name, sizeof(column->name), "%s%s%s", object ? object->name : "",
			 object ? "." : "", field->name);
		table->column_count++;
	}
}

/* Whether any row has a value in this optional column. Such columns are texts or JSON. */
static bool is_used(const struct table_column *column, const char *rows, unsigned row_count,
		    size_t row_size)
{
	for (unsigned row = 0; row < row_count; row++) {
		const void *member = rows + row * row_size + column->offset;

		if (((const struct str *)member)->data)
			return true;
	}
	return false;
}

void table_init(struct table *table, const struct record *record, const void *rows,
		unsigned row_count, size_t row_size)
{
	unsigned kept = 0;

	table->column_count = 0;
	add_columns(table, record, 0);
	for (unsigned i = 0; i < table->column_count; i++)
		if (!table->columns[i].field->is_optional ||
		    is_used(&table->columns[i], rows, row_count, row_size))
			table->columns[kept++] = table->columns[i];
	table->column_count = kept;
}

/* ---- values ---- */

static size_t line_length(struct str text)
{
	size_t length = 0;

	while (length < text.length && text.data[length] != '\n' && text.data[length] != '\t')
		length++;
	return length;
}

static void append_text(struct str value, struct buffer *text)
{
	/* Print the lines of a text beside each other: a cell has one line. */
	while (value.length) {
		size_t length = line_length(value);

		ctl_append_visible((struct str){value.data, length}, "", text);
		if (length < value.length)
			buffer_append_char(text, ' ');
		value = str_from_offset(value, length < value.length ? length + 1 : length);
	}
}

/* Whether the value is null. In a nullable column of integers 0 means null. */
static bool is_absent(const struct table_column *column, const char *row)
{
	if (column->may_be_absent && *(const bool *)(row + column->null_offset))
		return true;
	switch (column->field->kind) {
	case RECORD_KIND_INT:
	case RECORD_KIND_INT2:
	case RECORD_KIND_INT4:
	case RECORD_KIND_INT8:
		return column->field->nullable && *(const int64_t *)(row + column->offset) == 0;
	default:
		return false;
	}
}

void table_append_value(const struct table_column *column, const void *row, struct buffer *text)
{
	const void *member = (const char *)row + column->offset;
	char id[ID_TEXT_LENGTH + 1], timestamp[TIMESTAMP_LENGTH + 1];

	if (is_absent(column, row)) {
		buffer_append_char(text, '-');
		return;
	}
	switch (column->field->kind) {
	case RECORD_KIND_STR:
	case RECORD_KIND_JSON:
		if (((const struct str *)member)->data)
			append_text(*(const struct str *)member, text);
		else
			buffer_append_char(text, '-');
		break;
	case RECORD_KIND_ID:
		id_format(*(const struct id *)member, id);
		buffer_append_str(text,
				  id_is_none(*(const struct id *)member) ? STR("-") : str_from(id));
		break;
	case RECORD_KIND_TIMESTAMP:
		timestamp_format(*(const int64_t *)member, timestamp);
		buffer_append_str(text, *(const int64_t *)member ? str_from(timestamp) : STR("-"));
		break;
	case RECORD_KIND_INT:
	case RECORD_KIND_INT2:
	case RECORD_KIND_INT4:
	case RECORD_KIND_INT8:
		buffer_printf(text, "%lld", (long long)*(const int64_t *)member);
		break;
	case RECORD_KIND_BOOL:
		buffer_append_str(text, *(const bool *)member ? STR("yes") : STR("no"));
		break;
	case RECORD_KIND_CLOCK:
		buffer_printf(text, "%02d:%02d", (int)(*(const int64_t *)member / 60),
			      (int)(*(const int64_t *)member % 60));
		break;
	default:
		require(false);
	}
}

/* ---- widths ---- */

/* Requires the UTF-8 locale that main() sets. */
static size_t character_width(uint32_t c)
{
	int width = wcwidth((wchar_t)c);

	return width > 0 ? (size_t)width : 0;
}

size_t table_width(struct str text)
{
	size_t width = 0;

	while (text.length)
		width += character_width(utf8_next(&text));
	return width;
}

/* Appends the text, cut at its end if it is too wide. Returns its width in terminal columns. */
static size_t append_cut(struct str cell, size_t width, struct buffer *text)
{
	struct str rest = cell;
	size_t used = 0;

	if (table_width(cell) <= width) {
		buffer_append_str(text, cell);
		return table_width(cell);
	}
	while (rest.length) {
		struct str before = rest;
		size_t one = character_width(utf8_next(&rest));

		if (used + one + 1 > width)
			break;
		used += one;
		buffer_append(text, before.data, before.length - rest.length);
	}
	buffer_append_str(text, STR("\u2026"));
	return used + 1;
}

static bool is_time(const struct table_column *column)
{
	return column->field->kind == RECORD_KIND_TIMESTAMP;
}

/* Writes a value. With a limit (on a terminal), times are shortened to minutes. */
static void write_cell(const struct table_column *column, const void *row, size_t limit,
		       struct buffer *text)
{
	buffer_clear(text);
	table_append_value(column, row, text);
	if (limit > 0 && is_time(column) && buffer_length(text) > MINUTES_LENGTH) {
		struct str view = buffer_view(text);
		char minutes[MINUTES_LENGTH + 1];

		memcpy(minutes, view.data, MINUTES_LENGTH);
		buffer_clear(text);
		buffer_printf(text, "%.10s %.5sZ", minutes, minutes + 11);
	}
}

static void measure(struct table *table, const char *rows, unsigned row_count, size_t row_size,
		    size_t limit)
{
	struct buffer cell = {0};

	for (unsigned i = 0; i < table->column_count; i++) {
		struct table_column *column = &table->columns[i];

		column->width = table_width(str_from(column->name));
		column->is_left_out = false;
		for (unsigned row = 0; row < row_count; row++) {
			size_t width;

			write_cell(column, rows + row * row_size, limit, &cell);
			width = table_width(buffer_view(&cell));
			column->width = width > column->width ? width : column->width;
		}
	}
	buffer_finish(&cell);
}

static size_t line_width(const struct table *table)
{
	size_t width = 0;

	for (unsigned i = 0; i < table->column_count; i++)
		if (!table->columns[i].is_left_out)
			width += table->columns[i].width + (width > 0 ? GAP : 0);
	return width;
}

/* Whether commands take this column's values as arguments: a shortened value would be useless. */
static bool is_typed(const struct table_column *column)
{
	static const char *const names[] = {"id", "email", "slug", "version", "account"};

	for (unsigned i = 0; i < array_length(names); i++)
		if (strcmp(column->name, names[i]) == 0)
			return true;
	return false;
}

/* Returns the widest text column that may become narrower; NULL if there is none. */
static struct table_column *find_widest(struct table *table)
{
	struct table_column *widest = NULL;

	for (unsigned i = 0; i < table->column_count; i++) {
		struct table_column *column = &table->columns[i];
		size_t least = table_width(str_from(column->name));

		least = least > TEXT_WIDTH_MIN ? least : TEXT_WIDTH_MIN;
		if ((column->field->kind == RECORD_KIND_STR ||
		     column->field->kind == RECORD_KIND_JSON) &&
		    !column->is_left_out && !is_typed(column) && column->width > least &&
		    (!widest || column->width > widest->width))
			widest = column;
	}
	return widest;
}

/* Chooses the column to drop: the creation time first, else the last one; at last the ID, if the
 * next column identifies the row as well. Returns NULL if no column can be dropped. */
static struct table_column *find_dispensable(struct table *table)
{
	struct table_column *last = NULL;

	for (unsigned i = COLUMNS_KEPT_LEAST; i < table->column_count; i++) {
		struct table_column *column = &table->columns[i];

		if (column->is_left_out)
			continue;
		if (strcmp(column->name, "createdAt") == 0)
			return column;
		last = column;
	}
	if (!last && table->column_count > 1 && !table->columns[0].is_left_out &&
	    is_typed(&table->columns[1]))
		return &table->columns[0];
	return last;
}

static void fit(struct table *table, size_t limit)
{
	struct table_column *column;

	while (line_width(table) > limit && (column = find_widest(table)))
		column->width--;
	while (line_width(table) > limit && (column = find_dispensable(table)))
		column->is_left_out = true;
}

/* ---- lines ---- */

static void append_line(const struct table *table, const void *row, size_t limit,
			struct buffer *text)
{
	struct buffer cell = {0};
	size_t gap = 0;

	for (unsigned i = 0; i < table->column_count; i++) {
		const struct table_column *column = &table->columns[i];
		struct str name = str_from(column->name);
		size_t width;

		if (column->is_left_out)
			continue;
		if (row)
			write_cell(column, row, limit, &cell);
		for (size_t j = 0; j < gap; j++)
			buffer_append_char(text, ' ');
		width = append_cut(row ? buffer_view(&cell) : name, column->width, text);
		gap = GAP + column->width - width;
	}
	buffer_append_char(text, '\n');
	buffer_finish(&cell);
}

void table_append(struct table *table, const void *rows, unsigned row_count, size_t row_size,
		  size_t width, struct buffer *text)
{
	const char *first = rows;

	measure(table, first, row_count, row_size, width);
	if (width > 0)
		fit(table, width);
	append_line(table, NULL, width, text);
	for (unsigned row = 0; row < row_count; row++)
		append_line(table, first + row * row_size, width, text);
}

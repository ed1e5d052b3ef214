#include "table.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/memory.h"
#include "ctl/ctl.h"
#include "record/json_text.h"

#include <stdlib.h>
#include <text/utf8.h>
#include <wchar.h>

enum {
	GAP = 2,
	TEXT_WIDTH_MIN = 8,	/* minimum width of a text that is cut */
	TEXT_WIDTH_USUAL = 40,	/* width to which texts are cut before columns are dropped */
	MINUTES_LENGTH = 16,	/* "2026-07-01T12:34" */
	COLUMNS_KEPT_LEAST = 2, /* such as ID and name */
};

/* ---- columns ---- */

static yyjson_val *value_of(const struct table_column *column, yyjson_val *row)
{
	for (unsigned i = 0; i < column->depth; i++)
		row = yyjson_obj_getn(row, column->path[i].data, column->path[i].length);
	return row;
}

/* Whether both have the same names up to this depth. */
static bool begins_as(const struct table_column *a, const struct table_column *b, unsigned depth)
{
	for (unsigned i = 0; i < depth; i++)
		if (!str_equal(a->path[i], b->path[i]))
			return false;
	return true;
}

/* Adds the column unless it is there. Leaves out those beyond the limit: --json has them. */
static void add_column(struct table *table, const struct table_column *column)
{
	for (unsigned i = 0; i < table->column_count; i++)
		if (table->columns[i].depth == column->depth &&
		    begins_as(&table->columns[i], column, column->depth))
			return;
	if (table->column_count < TABLE_COLUMNS_MAX)
		table->columns[table->column_count++] = *column;
}

/* Adds the members of an object; above: the column of the object itself. */
static void add_members(struct table *table, const struct table_column *above, yyjson_val *object)
{
	size_t i, count;
	yyjson_val *name, *value;

	yyjson_obj_foreach(object, i, count, name, value)
	{
		struct table_column column = *above;

		column.path[column.depth++] = json_text(name);
		if (yyjson_obj_size(value) && column.depth < TABLE_DEPTH_MAX)
			add_members(table, &column, value);
		else
			add_column(table, &column);
	}
}

/* Whether another column shows a member of this one, which is an object in other rows. */
static bool has_members(const struct table *table, const struct table_column *column)
{
	for (unsigned i = 0; i < table->column_count; i++)
		if (table->columns[i].depth > column->depth &&
		    begins_as(&table->columns[i], column, column->depth))
			return true;
	return false;
}

void table_init(struct table *table, yyjson_val *rows)
{
	const struct table_column none = {0};
	struct table all = {0};
	size_t i, count;
	yyjson_val *row;

	add_members(&all, &none, rows);
	yyjson_arr_foreach(rows, i, count, row) add_members(&all, &none, row);
	*table = (struct table){0};
	for (unsigned column = 0; column < all.column_count; column++)
		if (!has_members(&all, &all.columns[column]))
			table->columns[table->column_count++] = all.columns[column];
}

void table_append_name(const struct table_column *column, struct buffer *text)
{
	for (unsigned i = 0; i < column->depth; i++) {
		if (i > 0)
			buffer_append_char(text, '.');
		ctl_append_visible(column->path[i], "", text);
	}
}

static bool has_name(const struct table_column *column, struct str name)
{
	struct buffer own = {0};
	bool is_equal;

	table_append_name(column, &own);
	is_equal = str_equal(buffer_view(&own), name);
	buffer_finish(&own);
	return is_equal;
}

static void move_column(struct table *table, unsigned from, unsigned to)
{
	struct table_column column = table->columns[from];

	if (to < from)
		memmove(&table->columns[to + 1], &table->columns[to], (from - to) * sizeof(column));
	else
		memmove(&table->columns[from], &table->columns[from + 1],
			(to - from) * sizeof(column));
	table->columns[to] = column;
}

/* Whether the column has only IDs: nobody reads them for what they say. */
static bool has_ids(const struct table_column *column, yyjson_val *rows)
{
	bool has_any = false;
	size_t i, count;
	yyjson_val *row;

	yyjson_arr_foreach(rows, i, count, row)
	{
		yyjson_val *value = value_of(column, row);
		struct id id;

		if (!value || yyjson_is_null(value))
			continue;
		if (!yyjson_is_str(value) || !id_parse(json_text(value), &id))
			return false;
		has_any = true;
	}
	return has_any;
}

/* Moves the column with this name, of those from first up to end, to the place to. */
static bool take_column(struct table *table, struct str name, unsigned first, unsigned end,
			unsigned to)
{
	for (unsigned i = first; i < end; i++) {
		if (!has_name(&table->columns[i], name))
			continue;
		table->columns[i].is_described = true;
		move_column(table, i, to);
		return true;
	}
	return false;
}

void table_order(struct table *table, yyjson_val *rows, struct str names, struct str id)
{
	bool is_empty = yyjson_arr_size(rows) == 0;
	unsigned described = 0, end;
	struct str name, rest = names;

	while (is_empty && str_next(&rest, ' ', &name))
		add_column(table, &(struct table_column){.path = {name}, .depth = 1});
	if (is_empty && id.length)
		add_column(table, &(struct table_column){.path = {id}, .depth = 1});
	table->is_described = true;
	end = table->column_count;
	while (str_next(&names, ' ', &name))
		described += take_column(table, name, described, end, described);
	table->has_id = id.length && take_column(table, id, described, end, end - 1);
	end -= table->has_id;
	for (unsigned i = described, left = end - described; left > 0; left--) {
		if (has_ids(&table->columns[i], rows))
			move_column(table, i, end - 1);
		else
			i++;
	}
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

static void append_json(yyjson_val *value, struct buffer *text)
{
	char *json = yyjson_val_write(value, 0, NULL);

	if (json)
		append_text(str_from(json), text);
	free(json);
}

static void append_scalar(yyjson_val *value, struct buffer *text)
{
	if (!value || yyjson_is_null(value))
		buffer_append_char(text, '-');
	else if (yyjson_is_bool(value))
		buffer_append_str(text, yyjson_get_bool(value) ? STR("yes") : STR("no"));
	else if (yyjson_is_str(value))
		append_text(json_text(value), text);
	else
		append_json(value, text);
}

void table_append_value(const struct table_column *column, yyjson_val *row, struct buffer *text)
{
	yyjson_val *value = value_of(column, row), *item;
	size_t i, count;

	if (!yyjson_is_arr(value) || yyjson_is_ctn(yyjson_arr_get_first(value))) {
		append_scalar(value, text);
		return;
	}
	if (yyjson_arr_size(value) == 0)
		buffer_append_char(text, '-');
	yyjson_arr_foreach(value, i, count, item)
	{
		if (i > 0)
			buffer_append_str(text, STR(", "));
		append_scalar(item, text);
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

/* Writes a value, or with row NULL the name. With a limit (on a terminal), times are shortened to
 * minutes. */
static void write_cell(const struct table_column *column, yyjson_val *row, size_t limit,
		       struct buffer *text)
{
	char minutes[MINUTES_LENGTH + 1] = "";
	struct str view;
	int64_t time_us;

	buffer_clear(text);
	if (!row) {
		table_append_name(column, text);
		return;
	}
	table_append_value(column, row, text);
	view = buffer_view(text);
	if (limit == 0 || view.length != TIMESTAMP_LENGTH || !timestamp_parse(view, &time_us))
		return;
	memcpy(minutes, view.data, MINUTES_LENGTH);
	buffer_clear(text);
	buffer_printf(text, "%.10s %.5sZ", minutes, minutes + 11);
}

static size_t width_of_cell(const struct table_column *column, yyjson_val *row, size_t limit)
{
	struct buffer cell = {0};
	size_t width;

	write_cell(column, row, limit, &cell);
	width = table_width(buffer_view(&cell));
	buffer_finish(&cell);
	return width;
}

/* Whether the value may be cut: it is neither a number nor a time. */
static bool is_text(yyjson_val *value)
{
	int64_t time_us;

	return yyjson_is_ctn(value) ||
	       (yyjson_is_str(value) && !timestamp_parse(json_text(value), &time_us));
}

static void measure(struct table *table, yyjson_val *rows, size_t limit)
{
	for (unsigned column = 0; column < table->column_count; column++) {
		struct table_column *one = &table->columns[column];
		size_t i, count;
		yyjson_val *row;

		one->width = width_of_cell(one, NULL, limit);
		yyjson_arr_foreach(rows, i, count, row)
		{
			size_t width = width_of_cell(one, row, limit);

			one->width = width > one->width ? width : one->width;
			one->is_text |= is_text(value_of(one, row));
		}
	}
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
static bool is_typed(const struct table *table, const struct table_column *column)
{
	static const char *const names[] = {"email", "slug", "version", "account"};

	if (table->has_id && column == &table->columns[table->column_count - 1])
		return true;
	for (unsigned i = 0; i < array_length(names); i++)
		if (has_name(column, str_from(names[i])))
			return true;
	return false;
}

/* Returns the widest text column that is wider than its name and this; NULL if there is none. */
static struct table_column *find_widest(struct table *table, size_t text_least)
{
	struct table_column *widest = NULL;

	for (unsigned i = 0; i < table->column_count; i++) {
		struct table_column *column = &table->columns[i];
		size_t least = width_of_cell(column, NULL, 0);

		least = least > text_least ? least : text_least;
		if (column->is_text && !column->is_left_out && !is_typed(table, column) &&
		    column->width > least && (!widest || column->width > widest->width))
			widest = column;
	}
	return widest;
}

/* Chooses the last column to drop, only among those that were not described unless any is set; at
 * last the ID, if the first column identifies the row as well. Returns NULL if there is none. */
static struct table_column *find_dispensable(struct table *table, bool any)
{
	unsigned end = table->column_count - table->has_id;
	unsigned kept = any ? COLUMNS_KEPT_LEAST - table->has_id : 0;

	for (unsigned i = end; i-- > kept;)
		if (!table->columns[i].is_left_out && (any || !table->columns[i].is_described))
			return &table->columns[i];
	if (any && table->has_id && !table->columns[end].is_left_out && end > 0 &&
	    is_typed(table, &table->columns[0]))
		return &table->columns[end];
	return NULL;
}

static void fit(struct table *table, size_t limit)
{
	struct table_column *column;

	while (line_width(table) > limit && (column = find_widest(table, TEXT_WIDTH_USUAL)))
		column->width--;
	while (table->is_described && line_width(table) > limit &&
	       (column = find_dispensable(table, false)))
		column->is_left_out = true;
	while (line_width(table) > limit && (column = find_widest(table, TEXT_WIDTH_MIN)))
		column->width--;
	while (line_width(table) > limit && (column = find_dispensable(table, true)))
		column->is_left_out = true;
}

/* ---- lines ---- */

static void append_line(const struct table *table, yyjson_val *row, size_t limit,
			struct buffer *text)
{
	struct buffer cell = {0};
	size_t gap = 0;

	for (unsigned i = 0; i < table->column_count; i++) {
		const struct table_column *column = &table->columns[i];
		size_t width;

		if (column->is_left_out)
			continue;
		write_cell(column, row, limit, &cell);
		for (size_t j = 0; j < gap; j++)
			buffer_append_char(text, ' ');
		width = append_cut(buffer_view(&cell), column->width, text);
		gap = GAP + column->width - width;
	}
	buffer_append_char(text, '\n');
	buffer_finish(&cell);
}

void table_append(struct table *table, yyjson_val *rows, size_t width, struct buffer *text)
{
	size_t i, count;
	yyjson_val *row;

	measure(table, rows, width);
	if (width > 0)
		fit(table, width);
	append_line(table, NULL, width, text);
	yyjson_arr_foreach(rows, i, count, row) append_line(table, row, width, text);
}

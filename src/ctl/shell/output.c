#include "ctl/ctl.h"
#include "table.h"

#include <sys/ioctl.h>
#include <unistd.h>

enum ctl_exit ctl_print(struct buffer *text)
{
	struct str view = buffer_view(text);
	bool is_written =
	    view.length == 0 || fwrite(view.data, 1, view.length, stdout) == view.length;

	buffer_finish(text);
	if (is_written && fflush(stdout) == 0)
		return CTL_DONE;
	return ctl_fail(CTL_FAILED, "cannot write to stdout");
}

struct ctl_size ctl_terminal_size(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return (struct ctl_size){0};
	return (struct ctl_size){size.ws_col, size.ws_row};
}

/* Appends a line for each member of an object, except the one that is printed as a table. */
static void append_members(yyjson_val *object, struct str except, struct buffer *text)
{
	enum { NAME_WIDTH_MIN = 16, GAP = 2 };
	size_t width = NAME_WIDTH_MIN;
	struct table table;

	table_init(&table, object);
	for (unsigned pass = 0; pass < 2; pass++) {
		for (unsigned i = 0; i < table.column_count; i++) {
			struct buffer name = {0};
			size_t length;

			if (str_equal(table.columns[i].path[0], except))
				continue;
			table_append_name(&table.columns[i], &name);
			length = table_width(buffer_view(&name));
			width = length > width ? length : width;
			if (pass == 1) {
				buffer_append_str(text, buffer_view(&name));
				buffer_printf(text, "%*s", (int)(width - length + GAP), "");
				table_append_value(&table.columns[i], object, text);
				buffer_append_char(text, '\n');
			}
			buffer_finish(&name);
		}
	}
}

static void tell_left_out(const struct table *table)
{
	unsigned count = 0;

	for (unsigned i = 0; i < table->column_count; i++)
		count += table->columns[i].is_left_out;
	if (count)
		fprintf(stderr, "(no room for %u column%s: see show, or --json)\n", count,
			count == 1 ? "" : "s");
}

/* Prints a table of the rows, then the text. */
static enum ctl_exit print_table(const struct ctl *ctl, yyjson_val *rows, struct buffer *more)
{
	const char *columns = ctl->command->columns;
	struct buffer text = {0};
	struct table table;
	enum ctl_exit code;

	table_init(&table, rows);
	if (columns)
		table_order(&table, rows, str_from(columns), str_from(ctl->command->row_id));
	table_append(&table, rows, ctl_terminal_size().width, &text);
	if (buffer_length(more))
		buffer_append_char(&text, '\n');
	buffer_append_str(&text, buffer_view(more));
	code = ctl_print(&text);
	if (code == CTL_DONE)
		tell_left_out(&table);
	return code;
}

enum ctl_exit ctl_print_json(const struct ctl *ctl, struct str json)
{
	struct str list = str_from(ctl->command->list);
	yyjson_doc *document;
	struct buffer text = {0};
	yyjson_val *root, *rows;
	enum ctl_exit code;

	if (ctl->json) {
		/* Escapes are JSON, too: a terminal obeys no server. */
		ctl_append_visible(str_trim(json), "\n\r\t", &text);
		buffer_append_char(&text, '\n');
		return ctl_print(&text);
	}
	document = yyjson_read(json.data, json.length, 0);
	root = yyjson_doc_get_root(document);
	rows = yyjson_is_arr(root) ? root : yyjson_obj_getn(root, list.data, list.length);
	if (root != rows)
		append_members(root, list, &text);
	code = yyjson_is_arr(rows) ? print_table(ctl, rows, &text) : ctl_print(&text);
	if (yyjson_is_arr(rows))
		buffer_finish(&text);
	yyjson_doc_free(document);
	return code;
}

enum ctl_exit ctl_print_row(const struct ctl *ctl, const struct record *record, const void *row)
{
	struct buffer json = {0};
	enum ctl_exit code;

	record_write_json(record, row, &json);
	code = ctl_print_json(ctl, buffer_view(&json));
	buffer_finish(&json);
	return code;
}

enum ctl_exit ctl_print_rows(const struct ctl *ctl, const struct record *record,
			     const struct ctl_rows *rows)
{
	struct buffer json = {0};
	enum ctl_exit code;

	buffer_append_char(&json, '[');
	for (unsigned i = 0; i < rows->count; i++) {
		if (i > 0)
			buffer_append_char(&json, ',');
		record_write_json(record, (const char *)rows->rows + i * record->size, &json);
	}
	buffer_append_char(&json, ']');
	code = ctl_print_json(ctl, buffer_view(&json));
	buffer_finish(&json);
	return code;
}

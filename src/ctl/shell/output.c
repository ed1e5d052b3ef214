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

enum ctl_exit ctl_print_row(const struct ctl *ctl, const struct record *record, const void *row)
{
	enum { NAME_WIDTH_MIN = 16 };
	struct buffer text = {0};
	struct table table;
	size_t width = NAME_WIDTH_MIN;

	if (ctl->json) {
		record_write_json(record, row, &text);
		buffer_append_char(&text, '\n');
		return ctl_print(&text);
	}
	table_init(&table, record, row, 1, record->size);
	for (unsigned i = 0; i < table.column_count; i++) {
		size_t length = strlen(table.columns[i].name);

		width = length > width ? length : width;
	}
	for (unsigned i = 0; i < table.column_count; i++) {
		buffer_printf(&text, "%-*s  ", (int)width, table.columns[i].name);
		table_append_value(&table.columns[i], row, &text);
		buffer_append_char(&text, '\n');
	}
	return ctl_print(&text);
}

static void write_array(const struct record *record, const struct ctl_rows *rows,
			struct buffer *text)
{
	buffer_append_char(text, '[');
	for (unsigned i = 0; i < rows->count; i++) {
		if (i > 0)
			buffer_append_char(text, ',');
		record_write_json(record, (const char *)rows->rows + i * record->size, text);
	}
	buffer_append_str(text, STR("]\n"));
}

struct ctl_size ctl_terminal_size(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return (struct ctl_size){0};
	return (struct ctl_size){size.ws_col, size.ws_row};
}

static void tell_left_out(const struct table *table)
{
	const char *separator = "(no room for ";

	for (unsigned i = 0; i < table->column_count; i++) {
		if (!table->columns[i].is_left_out)
			continue;
		fprintf(stderr, "%s%s", separator, table->columns[i].name);
		separator = ", ";
	}
	if (separator[0] == ',')
		fputs(": see show, or --json)\n", stderr);
}

enum ctl_exit ctl_print_rows(const struct ctl *ctl, const struct record *record,
			     const struct ctl_rows *rows)
{
	struct buffer text = {0};
	struct table table;
	enum ctl_exit code;

	if (ctl->json) {
		write_array(record, rows, &text);
		return ctl_print(&text);
	}
	table_init(&table, record, rows->rows, rows->count, record->size);
	table_append(&table, rows->rows, rows->count, record->size, ctl_terminal_size().width,
		     &text);
	code = ctl_print(&text);
	if (code == CTL_DONE)
		tell_left_out(&table);
	return code;
}

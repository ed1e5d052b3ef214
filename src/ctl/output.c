#include "base/clock.h"
#include "base/require.h"
#include "base/utf8.h"
#include "ctl/ctl.h"

#include <unistd.h>

static enum ctl_exit flush(struct buffer *text)
{
	struct str view = buffer_view(text);
	bool written = fwrite(view.data, 1, view.length, stdout) == view.length;

	buffer_finish(text);
	if (!written || fflush(stdout) != 0)
		return ctl_fail(CTL_FAILED, "cannot write to stdout");
	return CTL_DONE;
}

/* On one line, and without what a terminal would obey: --json shows what it really is. */
static void append_text(struct str value, struct buffer *text)
{
	while (value.length) {
		struct str rest = value;
		uint32_t c = utf8_next(&rest);

		if (utf8_is_control(c) || c == 0x2028 || c == 0x2029)
			buffer_append_char(text, ' ');
		else
			buffer_append_str(
			    text, (struct str){value.data, (size_t)(rest.data - value.data)});
		value = rest;
	}
}

/* What a person reads. The records of commands have these kinds only. */
static void append_value(const struct record_field *field, const void *row, struct buffer *text)
{
	const void *member = (const char *)row + field->offset;
	char id[ID_TEXT_LENGTH + 1], timestamp[TIMESTAMP_LENGTH + 1];

	switch (field->kind) {
	case RECORD_KIND_STR:
		if (((const struct str *)member)->data)
			append_text(*(const struct str *)member, text);
		else
			buffer_append_char(text, '-');
		break;
	case RECORD_KIND_ID:
		id_format(*(const struct id *)member, id);
		buffer_append_str(text, str_from(id));
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

/* Fields of an object in the JSON stand as columns of their own in a text. */
static bool is_column(const struct record_field *field)
{
	return field->name && field->kind != RECORD_KIND_OPEN;
}

/* "name", or "sleep.start" inside an object. */
static void append_name(const struct record *record, unsigned index, struct buffer *text)
{
	const char *object = NULL;

	for (unsigned i = 0; i < index; i++) {
		if (record->fields[i].kind == RECORD_KIND_OPEN)
			object = record->fields[i].name;
		else if (record->fields[i].kind == RECORD_KIND_CLOSE)
			object = NULL;
	}
	if (object)
		buffer_printf(text, "%s.", object);
	buffer_append_str(text, str_from(record->fields[index].name));
}

static void pad(struct buffer *text, size_t start, size_t width)
{
	struct str cell = str_from_offset(buffer_view(text), start);

	for (size_t length = utf8_length(cell); length < width + 2; length++)
		buffer_append_char(text, ' ');
}

enum ctl_exit ctl_print_row(const struct ctl *ctl, const struct record *record, const void *row)
{
	enum { NAME_WIDTH = 16 };
	struct buffer text = {0};
	size_t start;

	if (ctl->json) {
		record_write_json(record, row, &text);
		buffer_append_char(&text, '\n');
		return flush(&text);
	}
	for (unsigned i = 0; i < record->field_count; i++) {
		if (!is_column(&record->fields[i]))
			continue;
		start = buffer_length(&text);
		append_name(record, i, &text);
		pad(&text, start, NAME_WIDTH);
		append_value(&record->fields[i], row, &text);
		buffer_append_char(&text, '\n');
	}
	return flush(&text);
}

static const void *row_at(const struct record *record, const struct ctl_rows *rows, unsigned row)
{
	return (const char *)rows->rows + row * record->size;
}

static void write_array(const struct record *record, const struct ctl_rows *rows,
			struct buffer *text)
{
	buffer_append_char(text, '[');
	for (unsigned i = 0; i < rows->count; i++) {
		if (i > 0)
			buffer_append_char(text, ',');
		record_write_json(record, row_at(record, rows, i), text);
	}
	buffer_append_str(text, STR("]\n"));
}

/* The widest value of a column, in characters. */
static size_t column_width(const struct record *record, unsigned index, const struct ctl_rows *rows)
{
	const struct record_field *field = &record->fields[index];
	struct buffer name = {0};
	size_t width;

	append_name(record, index, &name);
	width = buffer_length(&name);
	buffer_finish(&name);

	for (unsigned i = 0; i < rows->count; i++) {
		struct buffer value = {0};
		size_t length;

		append_value(field, row_at(record, rows, i), &value);
		length = utf8_length(buffer_view(&value));
		width = length > width ? length : width;
		buffer_finish(&value);
	}
	return width;
}

static void write_table(const struct record *record, const struct ctl_rows *rows,
			struct buffer *text)
{
	/* Row 0 is the header. */
	for (unsigned row = 0; row <= rows->count; row++) {
		for (unsigned i = 0; i < record->field_count; i++) {
			const struct record_field *field = &record->fields[i];
			size_t start = buffer_length(text);

			if (!is_column(field))
				continue;
			if (row == 0)
				append_name(record, i, text);
			else
				append_value(field, row_at(record, rows, row - 1), text);
			if (i + 1 < record->field_count)
				pad(text, start, column_width(record, i, rows));
		}
		buffer_append_char(text, '\n');
	}
}

enum ctl_exit ctl_print_rows(const struct ctl *ctl, const struct record *record,
			     const struct ctl_rows *rows)
{
	struct buffer text = {0};

	if (ctl->json)
		write_array(record, rows, &text);
	else
		write_table(record, rows, &text);
	return flush(&text);
}

enum ctl_exit ctl_confirm(const struct ctl *ctl, const char *format, ...)
{
	char answer[8] = "";
	va_list args;

	if (ctl_value(ctl, "yes").data)
		return CTL_DONE;
	if (!isatty(STDIN_FILENO))
		return ctl_fail(CTL_REFUSED, "nobody can be asked here; say --yes");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputs(" Type yes to go on: ", stderr);
	if (!fgets(answer, sizeof(answer), stdin) || strcmp(answer, "yes\n") != 0)
		return ctl_fail(CTL_REFUSED, "nothing was changed");
	return CTL_DONE;
}

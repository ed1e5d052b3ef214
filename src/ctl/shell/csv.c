#include "csv.h"

void csv_open(struct csv *csv, struct str text, struct arena *arena)
{
	static const struct str mark = STR("\xef\xbb\xbf");

	if (str_starts_with(text, mark))
		text = str_from_offset(text, mark.length);
	*csv = (struct csv){.rest = text, .arena = arena, .line = 1};
}

static bool is_at(const struct csv *csv, char c)
{
	return csv->rest.length > 0 && csv->rest.data[0] == c;
}

static char csv_take(struct csv *csv)
{
	char c = csv->rest.data[0];

	csv->line += c == '\n';
	csv->rest = str_from_offset(csv->rest, 1);
	return c;
}

/* A carriage return belongs to the end of the line only before a line feed or at the end of the
 * text. */
static bool is_at_end(const struct csv *csv)
{
	return csv->rest.length == 0 || is_at(csv, '\n') ||
	       (is_at(csv, '\r') && (csv->rest.length == 1 || csv->rest.data[1] == '\n'));
}

/* Sets the fault of the row and skips to the next line. */
static void pass_over(struct csv *csv, const char *fault)
{
	csv->fault = fault;
	csv->field_count = 0;
	while (csv->rest.length > 0 && csv_take(csv) != '\n')
		;
}

/* Reads a field after its opening quote. Returns false if the closing quote is missing. */
static bool read_quoted(struct csv *csv, struct buffer *field)
{
	while (csv->rest.length > 0) {
		char c = csv_take(csv);

		if (c != '"')
			buffer_append_char(field, c);
		else if (is_at(csv, '"'))
			buffer_append_char(field, csv_take(csv));
		else
			return true;
	}
	return false;
}

/* Reads a field. Returns NULL, or the fault of the row. */
static const char *read_field(struct csv *csv, struct buffer *field)
{
	if (is_at(csv, '"')) {
		csv_take(csv);
		if (!read_quoted(csv, field))
			return "has a quote that is not closed";
		return is_at(csv, ',') || is_at_end(csv) ? NULL : "continues after a closing quote";
	}
	while (!is_at(csv, ',') && !is_at_end(csv)) {
		char c = csv_take(csv);

		if (c == '"')
			return "has a quote inside a field that does not begin with one";
		buffer_append_char(field, c);
	}
	return NULL;
}

static void keep_field(struct csv *csv, struct buffer *field)
{
	struct str copy;

	buffer_append_char(field, '\0');
	copy = arena_copy(csv->arena, buffer_view(field));
	csv->fields[csv->field_count++] = (struct str){copy.data, copy.length - 1};
	buffer_clear(field);
}

static void read_row(struct csv *csv)
{
	struct buffer field = {0};
	const char *fault = NULL;
	bool goes_on = true;

	while (goes_on && !fault) {
		if (csv->field_count == CSV_FIELDS_MAX)
			fault = "has too many fields";
		else
			fault = read_field(csv, &field);
		if (fault)
			break;
		if (buffer_length(&field) > 0 &&
		    memchr(buffer_view(&field).data, 0, buffer_length(&field)))
			fault = "contains a NUL byte";
		keep_field(csv, &field);
		goes_on = is_at(csv, ',');
		if (goes_on)
			csv_take(csv);
	}
	buffer_finish(&field);
	if (fault)
		pass_over(csv, fault);
}

bool csv_next(struct csv *csv)
{
	csv->fault = NULL;
	csv->field_count = 0;
	while (is_at(csv, '\n') || (is_at(csv, '\r') && is_at_end(csv)))
		csv_take(csv);
	if (csv->rest.length == 0)
		return false;
	csv->row_line = csv->line;
	read_row(csv);
	return true;
}

void csv_append(struct buffer *text, struct str field)
{
	bool needs_quotes = false;

	for (size_t i = 0; i < field.length; i++)
		needs_quotes |= strchr(",\"\r\n", field.data[i]) != NULL;
	if (!needs_quotes) {
		buffer_append_str(text, field);
		return;
	}
	buffer_append_char(text, '"');
	for (size_t i = 0; i < field.length; i++) {
		if (field.data[i] == '"')
			buffer_append_char(text, '"');
		buffer_append_char(text, field.data[i]);
	}
	buffer_append_char(text, '"');
}

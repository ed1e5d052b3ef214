#include "device_file.h"
#include "base/hex.h"
#include "ctl/shell/csv.h"
#include "ctl/shell/input.h"

#include <stdarg.h>
#include <stdlib.h>
#include <text/utf8.h>

enum column { COLUMN_NAME, COLUMN_SERIAL, COLUMN_MAC, COLUMN_ACCOUNT, COLUMN_COUNT };

static const char *const column_names[COLUMN_COUNT] = {"name", "serial", "mac", "account"};

struct reader {
	struct ctl *ctl;
	struct device_file *file;
	struct csv csv;
	struct str account;
	int indexes[COLUMN_COUNT]; /* index among the fields; -1: no such column */
	unsigned width;		   /* number of fields of each row */
	unsigned capacity;
};

void device_file_fault(struct device_file *file, unsigned line, const char *format, ...)
{
	unsigned number = file->fault_count++;
	va_list args;

	/* Grow the array at 0 and at each power of two: it then has room up to the next one. */
	if ((number & (number - 1)) == 0)
		file->faults =
		    memory_realloc(file->faults, (2 * (size_t)number + 1) * sizeof(*file->faults));
	va_start(args, format);
	file->faults[number] =
	    (struct device_fault){line, number, arena_vprintf(file->arena, format, args)};
	va_end(args);
}

static int compare_faults(const void *left, const void *right)
{
	const struct device_fault *a = left, *b = right;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

enum ctl_exit device_file_end(struct device_file *file)
{
	unsigned count = file->fault_count;

	if (count == 0)
		return CTL_DONE;
	qsort(file->faults, count, sizeof(*file->faults), compare_faults);
	for (unsigned i = 0; i < count; i++)
		ctl_say("%s:%u: %.*s", file->path, file->faults[i].line,
			STR_ARG(file->faults[i].text));
	return ctl_fail(CTL_USAGE, "%s has %u error%s; no device was made", file->path, count,
			count == 1 ? "" : "s");
}

/* ---- the first row ---- */

static void read_column(struct reader *reader, unsigned index)
{
	struct str name = str_trim(reader->csv.fields[index]);
	struct csv *csv = &reader->csv;

	for (unsigned i = 0; i < COLUMN_COUNT; i++) {
		if (!str_equal_ignore_case(name, str_from(column_names[i])))
			continue;
		if (reader->indexes[i] >= 0)
			device_file_fault(reader->file, csv->row_line,
					  "the column %s is given twice", column_names[i]);
		reader->indexes[i] = (int)index;
		return;
	}
	device_file_fault(
	    reader->file, csv->row_line,
	    "unknown column \"%.*s\"; the first line may name name, serial, mac and account",
	    utf8_is_valid(name) ? (int)name.length : 0, name.data);
}

/* Reads the column names. Returns false if the file cannot be read without them. */
static bool read_head(struct reader *reader)
{
	struct csv *csv = &reader->csv;

	for (unsigned i = 0; i < COLUMN_COUNT; i++)
		reader->indexes[i] = -1;
	if (!csv_next(csv)) {
		device_file_fault(reader->file, 1, "the file is empty");
		return false;
	}
	if (csv->fault)
		device_file_fault(reader->file, csv->row_line, "the line %s", csv->fault);
	for (unsigned i = 0; i < csv->field_count; i++)
		read_column(reader, i);
	reader->width = csv->field_count;
	if (reader->indexes[COLUMN_NAME] < 0 && reader->file->fault_count == 0)
		device_file_fault(reader->file, csv->row_line, "the column name is missing");
	return reader->file->fault_count == 0;
}

/* ---- further rows ---- */

static struct str field_of(const struct reader *reader, enum column column)
{
	int index = reader->indexes[column];

	return index < 0 ? STR("") : reader->csv.fields[index];
}

/* Returns a field for a line of the request: without the characters that separate lines and fields,
 * which the server rejects as it does other control characters. A field that is not UTF-8 is
 * reported here: the text in its place is one that the server does not report again. */
static struct str take_field(struct reader *reader, enum column column)
{
	struct str text = arena_copy(&reader->ctl->arena, field_of(reader, column));
	char *bytes = (char *)(uintptr_t)text.data;

	if (!utf8_is_valid(text)) {
		device_file_fault(reader->file, reader->csv.row_line, "%s must be UTF-8",
				  column_names[column]);
		return column == COLUMN_NAME ? STR("?") : STR("");
	}
	for (size_t i = 0; i < text.length; i++)
		if (bytes[i] == '\t' || bytes[i] == '\n')
			bytes[i] = 1;
	return text;
}

static struct str take_account(struct reader *reader)
{
	if (str_trim(field_of(reader, COLUMN_ACCOUNT)).length)
		return str_trim(take_field(reader, COLUMN_ACCOUNT));
	if (reader->account.length == 0)
		device_file_fault(reader->file, reader->csv.row_line,
				  "account is missing; use --account for lines without one");
	return reader->account;
}

static struct str take_mac(struct reader *reader)
{
	struct str text = take_field(reader, COLUMN_MAC);
	char *normal = arena_alloc(&reader->ctl->arena, MAC_TEXT_LENGTH + 1);
	uint8_t mac[MAC_BYTES];

	if (!mac_parse(text, mac))
		return text;
	mac_format(mac, normal);
	return str_from(normal);
}

static void make_key(struct device_wish *wish)
{
	uint8_t hash[KEY_HASH_BYTES];

	wish->id = id_new();
	link_key_new(wish->key);
	key_hash(str_from(wish->key), hash);
	hex_encode(hash, sizeof(hash), wish->key_hash);
	wish->key_hash[2 * KEY_HASH_BYTES] = '\0';
}

static struct device_wish *add_wish(struct reader *reader)
{
	struct device_file *file = reader->file;

	if (file->count == reader->capacity) {
		reader->capacity = reader->capacity ? 2 * reader->capacity : 256;
		file->wishes =
		    memory_realloc(file->wishes, reader->capacity * sizeof(*file->wishes));
	}
	return &file->wishes[file->count++];
}

static void take_row(struct reader *reader)
{
	struct csv *csv = &reader->csv;
	struct device_wish *wish;

	if (csv->fault) {
		device_file_fault(reader->file, csv->row_line, "the line %s", csv->fault);
		return;
	}
	if (csv->field_count != reader->width) {
		device_file_fault(reader->file, csv->row_line,
				  "the line has %u fields, the first line %u", csv->field_count,
				  reader->width);
		return;
	}
	wish = add_wish(reader);
	*wish = (struct device_wish){
	    .line = csv->row_line,
	    .name = take_field(reader, COLUMN_NAME),
	    .serial = take_field(reader, COLUMN_SERIAL),
	    .mac = take_mac(reader),
	};
	wish->account = take_account(reader);
	make_key(wish);
}

enum ctl_exit device_file_read(struct ctl *ctl, const char *path, struct str account,
			       struct device_file *ret)
{
	struct reader reader = {.ctl = ctl, .file = ret, .account = account};
	struct buffer text = {0};
	enum ctl_exit code;

	*ret = (struct device_file){.path = path, .arena = &ctl->arena};
	code = ctl_read_file("", path, CTL_DEVICE_FILE_BYTES_MAX, &text);
	if (code == CTL_DONE && buffer_length(&text) > CTL_DEVICE_FILE_BYTES_MAX)
		code = ctl_fail(CTL_USAGE, "%s: is larger than %d MiB", path,
				CTL_DEVICE_FILE_BYTES_MAX / 1024 / 1024);
	csv_open(&reader.csv, buffer_view(&text), &ctl->arena);
	if (code == CTL_DONE && read_head(&reader)) {
		while (ret->count <= DEVICE_LINES_MAX && csv_next(&reader.csv))
			take_row(&reader);
		if (ret->count > DEVICE_LINES_MAX)
			device_file_fault(ret, reader.csv.row_line, "more than %d devices",
					  DEVICE_LINES_MAX);
	}
	buffer_finish(&text);
	return code;
}

void device_file_finish(struct device_file *file)
{
	free(file->wishes);
	free(file->faults);
	*file = (struct device_file){0};
}

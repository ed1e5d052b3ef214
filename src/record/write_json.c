#include "base/clock.h"
#include "base/decimal.h"
#include "record/record.h"

static void write_integer(struct buffer *buffer, int64_t number)
{
	char digits[DECIMAL_BYTES_MAX];

	buffer_append(buffer, digits, decimal_format(number, digits));
}

/* "HH:mm" */
static void write_clock(struct buffer *buffer, int64_t minutes)
{
	int hour = (int)(minutes / 60);
	int minute = (int)(minutes % 60);
	const char text[] = {'"', (char)('0' + hour / 10),   (char)('0' + hour % 10),
			     ':', (char)('0' + minute / 10), (char)('0' + minute % 10),
			     '"'};

	buffer_append(buffer, text, sizeof(text));
}

/* Writes a name of a record, which needs no escapes. */
static void write_name(struct buffer *buffer, const char *name)
{
	buffer_append_char(buffer, '"');
	buffer_append_str(buffer, str_from(name));
	buffer_append_str(buffer, STR("\":"));
}

static bool is_null(const struct record_field *field, const void *member)
{
	static const struct id zero;

	if (!field->nullable)
		return false;
	switch (field->kind) {
	case RECORD_KIND_STR:
	case RECORD_KIND_JSON:
		return ((const struct str *)member)->data == NULL;
	case RECORD_KIND_ID:
		return id_equal(*(const struct id *)member, zero);
	case RECORD_KIND_INT:
	case RECORD_KIND_INT2:
	case RECORD_KIND_INT4:
	case RECORD_KIND_INT8:
	case RECORD_KIND_TIMESTAMP:
		return *(const int64_t *)member == 0;
	default:
		return false;
	}
}

static void write_null(const struct record_field *field, struct buffer *buffer)
{
	if (field->none)
		json_write_str(buffer, str_from(field->none));
	else
		buffer_append_str(buffer, STR("null"));
}

static void write_value(const struct record_field *field, const void *member, struct buffer *buffer)
{
	char text[ID_TEXT_LENGTH + 3];

	switch (field->kind) {
	case RECORD_KIND_BOOL:
		buffer_append_str(buffer, *(const bool *)member ? STR("true") : STR("false"));
		break;
	case RECORD_KIND_INT:
	case RECORD_KIND_INT2:
	case RECORD_KIND_INT4:
	case RECORD_KIND_INT8:
		write_integer(buffer, *(const int64_t *)member);
		break;
	case RECORD_KIND_STR:
		json_write_str(buffer, *(const struct str *)member);
		break;
	case RECORD_KIND_JSON:
		json_write_text(buffer, *(const struct str *)member);
		break;
	case RECORD_KIND_ID:
		text[0] = '"';
		id_format(*(const struct id *)member, text + 1);
		text[ID_TEXT_LENGTH + 1] = '"';
		buffer_append(buffer, text, ID_TEXT_LENGTH + 2);
		break;
	case RECORD_KIND_TIMESTAMP:
		text[0] = '"';
		timestamp_format(*(const int64_t *)member, text + 1);
		text[TIMESTAMP_LENGTH + 1] = '"';
		buffer_append(buffer, text, TIMESTAMP_LENGTH + 2);
		break;
	case RECORD_KIND_CLOCK:
		write_clock(buffer, *(const int64_t *)member);
		break;
	default:
		break;
	}
}

/* Returns the index of the CLOSE that belongs to the OPEN at index i. Objects nest one level. */
static unsigned close_of(const struct record *record, unsigned i)
{
	while (record->fields[i].kind != RECORD_KIND_CLOSE)
		i++;
	return i;
}

/* Writes the members of an object. first: none was written yet. Returns the value of first for the
 * next members. */
static bool write_members(const struct record *record, const void *row, bool first,
			  struct buffer *buffer)
{
	for (unsigned i = 0; i < record->field_count; i++) {
		const struct record_field *field = &record->fields[i];
		const char *member = (const char *)row + field->offset;

		if (field->kind == RECORD_KIND_CLOSE) {
			buffer_append_char(buffer, '}');
			first = false;
			continue;
		}
		if (field->is_shown)
			first = write_members(field->row, member, first, buffer);
		if (!field->name || (field->is_private && !record->has_private))
			continue;
		if (field->is_optional && is_null(field, member))
			continue;
		if (!first)
			buffer_append_char(buffer, ',');
		first = false;
		write_name(buffer, field->name);
		if (field->kind == RECORD_KIND_OPEN) {
			if (field->nullable && *(const bool *)member) {
				buffer_append_str(buffer, STR("null"));
				i = close_of(record, i);
			} else {
				buffer_append_char(buffer, '{');
				first = true;
			}
		} else if (is_null(field, member)) {
			write_null(field, buffer);
		} else {
			write_value(field, member, buffer);
		}
	}
	return first;
}

void record_write_json(const struct record *record, const void *row, struct buffer *buffer)
{
	buffer_append_char(buffer, '{');
	write_members(record, row, true, buffer);
	buffer_append_char(buffer, '}');
}

size_t record_text_bytes(const struct record *record, const void *row)
{
	size_t bytes = 0;

	for (unsigned i = 0; i < record->field_count; i++) {
		const struct record_field *field = &record->fields[i];
		const char *member = (const char *)row + field->offset;

		if (field->is_shown)
			bytes += record_text_bytes(field->row, member);
		else if (field->name &&
			 (field->kind == RECORD_KIND_STR || field->kind == RECORD_KIND_JSON))
			bytes += ((const struct str *)(const void *)member)->length;
	}
	return bytes;
}

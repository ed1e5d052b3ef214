#include "base/clock.h"
#include "base/require.h"
#include "record/record.h"

#include <endian.h>
#include <string.h>

/* Microseconds from 1970-01-01 to PostgreSQL's epoch, 2000-01-01. */
static const int64_t postgres_epoch_us = 946684800LL * 1000000;

/* Reads int2, int4 or int8, distinguished by their length. */
static int64_t read_integer(const struct record_value *value)
{
	uint64_t bits = 0;

	require(value->length == 2 || value->length == 4 || value->length == 8);
	for (uint32_t i = 0; i < value->length; i++)
		bits = bits << 8 | value->data[i];
	if (value->length == 2)
		return (int16_t)bits;
	if (value->length == 4)
		return (int32_t)bits;
	return (int64_t)bits;
}

static int64_t read_timestamp(const struct record_field *field, const struct record_value *value)
{
	int64_t wall_us = read_integer(value) + postgres_epoch_us;
	int64_t now_us = field->is_past ? clock_common_us() : INT64_MAX;

	return wall_us < now_us ? wall_us : now_us;
}

static void read_column(const struct record_field *field, const struct record_value *value,
			struct arena *arena, void *member)
{
	switch (field->kind) {
	case RECORD_KIND_BOOL:
		require(value->length == 1);
		*(bool *)member = value->data[0] != 0;
		break;
	case RECORD_KIND_INT2:
	case RECORD_KIND_INT4:
	case RECORD_KIND_INT8:
	case RECORD_KIND_CLOCK:
		*(int64_t *)member = read_integer(value);
		break;
	case RECORD_KIND_TIMESTAMP:
		*(int64_t *)member = read_timestamp(field, value);
		break;
	case RECORD_KIND_STR:
	case RECORD_KIND_BYTES:
	case RECORD_KIND_JSON:
		*(struct str *)member =
		    arena_copy(arena, (struct str){(const char *)value->data, value->length});
		break;
	case RECORD_KIND_ID:
		require(value->length == ID_BYTES);
		memcpy(((struct id *)member)->bytes, value->data, ID_BYTES);
		break;
	default:
		require(false); /* fields of other kinds are not in rows */
	}
}

/* Clears values of an earlier row, whose texts may be gone. */
static void clear_column(const struct record_field *field, void *member)
{
	require(field->nullable);
	switch (field->kind) {
	case RECORD_KIND_BOOL:
		*(bool *)member = false;
		break;
	case RECORD_KIND_STR:
	case RECORD_KIND_BYTES:
	case RECORD_KIND_JSON:
		*(struct str *)member = (struct str){0};
		break;
	case RECORD_KIND_ID:
		*(struct id *)member = (struct id){0};
		break;
	default:
		*(int64_t *)member = 0;
	}
}

unsigned record_read_row(const struct record *record, const struct record_value *columns,
			 struct arena *arena, void *ret_row)
{
	const struct record_value *column = columns;

	for (unsigned i = 0; i < record->field_count; i++) {
		const struct record_field *field = &record->fields[i];
		void *member = (char *)ret_row + field->offset;

		if (field->kind == RECORD_KIND_ROW) {
			column += record_read_row(field->row, column, arena, member);
			continue;
		}
		if (!field->column)
			continue;
		if (column->is_null)
			clear_column(field, member);
		else
			read_column(field, column, arena, member);
		column++;
	}
	return (unsigned)(column - columns);
}

unsigned record_column_count(const struct record *record)
{
	unsigned count = 0;

	for (unsigned i = 0; i < record->field_count; i++) {
		const struct record_field *field = &record->fields[i];

		if (field->kind == RECORD_KIND_ROW)
			count += record_column_count(field->row);
		else
			count += field->column != NULL;
	}
	return count;
}

const struct record_field *record_column(const struct record *record, const char *name,
					 size_t *ret_offset)
{
	for (unsigned i = 0; i < record->field_count; i++) {
		const struct record_field *field = &record->fields[i];
		const struct record_field *found = field;

		*ret_offset = 0;
		if (field->kind == RECORD_KIND_ROW)
			found = record_column(field->row, name, ret_offset);
		else if (!field->column || strcmp(field->column, name) != 0)
			continue;
		if (!found)
			continue;
		*ret_offset += field->offset;
		return found;
	}
	return NULL;
}

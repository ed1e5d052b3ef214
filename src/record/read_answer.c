#include "base/clock.h"
#include "record/record.h"

#include <yyjson.h>

static struct str copy_json(yyjson_val *value, struct arena *arena)
{
	size_t length;
	char *text = yyjson_val_write(value, YYJSON_WRITE_NOFLAG, &length);
	struct str copy;

	if (!text)
		return (struct str){0};
	copy = arena_copy(arena, (struct str){text, length});
	free(text);
	return copy;
}

static bool read_value(const struct record_field *field, yyjson_val *value, struct arena *arena,
		       void *member)
{
	struct str text = {yyjson_get_str(value), yyjson_get_len(value)};

	switch (field->kind) {
	case RECORD_KIND_BOOL:
		return json_get_bool((const struct json_value *)(void *)value, member);
	case RECORD_KIND_INT:
	case RECORD_KIND_INT2:
	case RECORD_KIND_INT4:
	case RECORD_KIND_INT8:
		return json_get_integer((const struct json_value *)(void *)value, member);
	case RECORD_KIND_STR:
		if (text.data)
			*(struct str *)member = arena_copy(arena, text);
		return text.data != NULL;
	case RECORD_KIND_ID:
		return text.data && id_parse(text, member);
	case RECORD_KIND_TIMESTAMP:
		return text.data && timestamp_parse(text, member);
	case RECORD_KIND_CLOCK:
		return text.data && clock_parse(text, member);
	case RECORD_KIND_JSON:
		*(struct str *)member = copy_json(value, arena);
		return true;
	default:
		return false;
	}
}

/* Whether the member stays zero: it is null, or omitted although optional. */
static bool is_absent(const struct record_field *field, yyjson_val *value)
{
	return (field->nullable && yyjson_is_null(value)) || (field->is_optional && !value);
}

static unsigned close_of(const struct record *record, unsigned i)
{
	while (record->fields[i].kind != RECORD_KIND_CLOSE)
		i++;
	return i;
}

bool record_read_answer(const struct record *record, const struct json_value *object,
			struct arena *arena, void *ret_row)
{
	yyjson_val *whole = (yyjson_val *)(void *)object, *inner = whole;

	for (unsigned i = 0; i < record->field_count; i++) {
		const struct record_field *field = &record->fields[i];
		char *member = (char *)ret_row + field->offset;
		yyjson_val *value = field->name ? yyjson_obj_get(inner, field->name) : NULL;

		if (field->kind == RECORD_KIND_CLOSE) {
			inner = whole;
		} else if (field->is_shown) {
			if (!record_read_answer(field->row,
						(const struct json_value *)(void *)inner, arena,
						member))
				return false;
		} else if (!field->name || (field->is_private && !record->has_private)) {
			continue;
		} else if (field->kind == RECORD_KIND_OPEN && field->nullable &&
			   yyjson_is_null(value)) {
			*(bool *)member = true;
			i = close_of(record, i);
		} else if (field->kind == RECORD_KIND_OPEN) {
			inner = value;
		} else if (!is_absent(field, value) && !read_value(field, value, arena, member)) {
			return false;
		}
	}
	return yyjson_is_obj(whole);
}

#include "record/record.h"

#include <text/utf8.h>
#include <yyjson.h>

/* An answer shows at most this much of an unknown name. */
enum { SHOWN_NAME_BYTES = 64 };

static int field_index(const struct record *record, struct str name)
{
	for (unsigned i = 0; i < record->field_count; i++) {
		const char *known = record->fields[i].body;

		if (record->fields[i].is_private && !record->has_private)
			continue;
		if (known && str_equal(str_from(known), name))
			return (int)i;
	}
	return -1;
}

static bool read_integer(const struct record_field *field, const struct json_value *value,
			 int64_t *ret, struct faults *faults)
{
	bool limited = field->minimum || field->maximum;
	int64_t number;

	if (json_get_integer(value, &number) &&
	    (!limited || (number >= field->minimum && number <= field->maximum))) {
		*ret = number;
		return true;
	}
	if (!limited)
		faults_add(faults, str_from(field->body), "must be an integer");
	else
		faults_add(faults, str_from(field->body), "must be an integer from %lld to %lld",
			   (long long)field->minimum, (long long)field->maximum);
	return false;
}

static bool read_text(const struct record_field *field, const struct json_value *value,
		      struct str *ret, struct faults *faults)
{
	struct str name = str_from(field->body);
	const char *wrong = NULL;
	struct str text;
	int64_t length;

	if (!json_get_str(value, &text)) {
		faults_add(faults, name, "must be a string");
		return false;
	}
	length = (int64_t)utf8_length(text);
	if ((field->minimum || field->maximum) &&
	    (length < field->minimum || length > field->maximum)) {
		faults_add(faults, name, "must have %lld to %lld characters, has %lld",
			   (long long)field->minimum, (long long)field->maximum, (long long)length);
		return false;
	}
	if (str_find(text, '\0') < text.length)
		wrong = "must not contain U+0000";
	else if (field->check)
		wrong = field->check(text);
	if (wrong) {
		faults_add(faults, name, "%s", wrong);
		return false;
	}
	*ret = text;
	return true;
}

static bool read_id(const struct record_field *field, const struct json_value *value,
		    struct id *ret, struct faults *faults)
{
	struct str text;

	if (json_get_str(value, &text) && id_parse(text, ret))
		return true;
	faults_add(faults, str_from(field->body), "must be an ID");
	return false;
}

/* Names the members of the body that stand for an answer's object, such as "sleep". */
static void fault_group(const struct record_field *open, struct str name, struct faults *faults)
{
	struct str names = {"", 0};

	for (const struct record_field *field = open + 1; field->kind != RECORD_KIND_CLOSE;
	     field++) {
		if (field->body)
			names = arena_printf(faults->arena, "%.*s%s%s", STR_ARG(names),
					     names.length ? ", " : "", field->body);
	}
	faults_add(faults, name, "is not a known field; change its parts with %.*s",
		   STR_ARG(names));
}

/* Adds the fault of an unknown name. If answers have it, explains what to do with it. */
static void fault_name(const struct record *record, struct str name, struct faults *faults)
{
	if (name.length > SHOWN_NAME_BYTES) {
		faults_add(faults, (struct str){0}, "has an unknown field");
		return;
	}
	for (unsigned i = 0; i < record->field_count; i++) {
		const struct record_field *field = &record->fields[i];

		if (!field->name || field->body || !str_equal(str_from(field->name), name))
			continue;
		if (field->kind == RECORD_KIND_OPEN)
			fault_group(field, name, faults);
		else
			faults_add(faults, name, "cannot be changed, leave the field out");
		return;
	}
	faults_add(faults, name, "is not a known field");
}

static bool read_field(const struct record_field *field, const struct json_value *value,
		       void *member, struct faults *faults)
{
	struct str name = str_from(field->body);
	struct str text;

	if (!field->required && field->kind != RECORD_KIND_ANY && json_is_null(value)) {
		faults_add(faults, name, JSON_NULL_FAULT);
		return false;
	}
	switch (field->kind) {
	case RECORD_KIND_BOOL:
		if (json_get_bool(value, member))
			return true;
		faults_add(faults, name, "must be true or false");
		return false;
	case RECORD_KIND_INT:
	case RECORD_KIND_INT2:
	case RECORD_KIND_INT4:
	case RECORD_KIND_INT8:
		return read_integer(field, value, member, faults);
	case RECORD_KIND_STR:
		return read_text(field, value, member, faults);
	case RECORD_KIND_ID:
		return read_id(field, value, member, faults);
	case RECORD_KIND_CLOCK:
		if (json_get_str(value, &text) && clock_parse(text, member))
			return true;
		faults_add(faults, name, "must be a time of day from 00:00 to 23:59 as HH:mm");
		return false;
	case RECORD_KIND_ANY:
		*(const struct json_value **)member = value;
		return true;
	default:
		return false; /* fields of other kinds are not in bodies */
	}
}

bool clock_parse(struct str text, int64_t *ret_minutes)
{
	unsigned long long hours, minutes;

	if (text.length != 5 || text.data[2] != ':' ||
	    !str_to_uint64((struct str){text.data, 2}, 23, &hours) ||
	    !str_to_uint64(str_from_offset(text, 3), 59, &minutes))
		return false;
	*ret_minutes = (int64_t)(hours * 60 + minutes);
	return true;
}

static bool is_empty(yyjson_val *value)
{
	return yyjson_is_null(value) || (yyjson_is_obj(value) && yyjson_obj_size(value) == 0);
}

void record_read_json(const struct record *record, const struct json_value *object, void *ret_body,
		      uint64_t *ret_present, struct faults *faults)
{
	yyjson_val *root = (yyjson_val *)(void *)object;
	uint64_t present = 0;
	uint64_t seen = 0;
	size_t i, count;
	yyjson_val *key, *value;

	*ret_present = 0;
	if (record->takes_whole) {
		*(const struct json_value **)(void *)((char *)ret_body + record->fields[0].offset) =
		    object;
		*ret_present = 1;
		record->check(ret_body, 1, faults);
		return;
	}
	if (!yyjson_is_obj(root)) {
		faults_add(faults, (struct str){0}, "must be a JSON object");
		return;
	}
	yyjson_obj_foreach(root, i, count, key, value)
	{
		struct str name = {yyjson_get_str(key), yyjson_get_len(key)};
		int index = field_index(record, name);

		if (record->empty_is_absent && is_empty(value))
			continue;
		if (index < 0) {
			fault_name(record, name, faults);
			continue;
		}
		seen |= 1ull << index;
		if (read_field(&record->fields[index], (const struct json_value *)(void *)value,
			       (char *)ret_body + record->fields[index].offset, faults))
			present |= 1ull << index;
	}
	for (unsigned f = 0; f < record->field_count; f++) {
		if (record->fields[f].required && !(seen >> f & 1))
			faults_add(faults, str_from(record->fields[f].body), "is required");
	}
	if (record->check)
		record->check(ret_body, seen, faults);
	*ret_present = present;
}

uint64_t record_present_as(const struct record *record, uint64_t present,
			   const struct record *other)
{
	uint64_t result = 0;

	for (unsigned i = 0; i < record->field_count; i++) {
		if (!(present >> i & 1))
			continue;
		for (unsigned j = 0; j < other->field_count; j++) {
			if (other->fields[j].body &&
			    other->fields[j].offset == record->fields[i].offset)
				result |= 1ull << j;
		}
	}
	return result;
}

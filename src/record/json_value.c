#include "record/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes 10.0 and 1e1 as 10, and other numbers with the fewest digits that mean the same. */
static void write_number(struct buffer *buffer, const struct json_value *value)
{
	double number = 0, same;
	int64_t integer;
	char text[32];

	if (json_get_integer(value, &integer)) {
		buffer_printf(buffer, "%lld", (long long)integer);
		return;
	}
	(void)json_get_number(value, &number);
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, number);
		same = strtod(text, NULL);
		if (same == number)
			break;
	}
	buffer_append_str(buffer, str_from(text));
}

static void write_container(struct buffer *buffer, const struct json_value *value)
{
	bool is_object = json_is_object(value), is_first = true;
	struct json_walk walk = json_walk(value);
	const struct json_value *next;
	struct str name;

	buffer_append_char(buffer, is_object ? '{' : '[');
	while (is_object ? json_next_member(&walk, &name, &next) : json_next_item(&walk, &next)) {
		if (!is_first)
			buffer_append_char(buffer, ',');
		is_first = false;
		if (is_object) {
			json_write_str(buffer, name);
			buffer_append_char(buffer, ':');
		}
		json_write_value(buffer, next);
	}
	buffer_append_char(buffer, is_object ? '}' : ']');
}

/* The depth of a document is limited. */
void json_write_value(struct buffer *buffer, const struct json_value *value)
{
	unsigned count;
	struct str text;
	bool is_true;

	if (json_get_str(value, &text))
		json_write_str(buffer, text);
	else if (json_is_object(value) || json_get_array(value, &count))
		write_container(buffer, value);
	else if (json_get_bool(value, &is_true))
		buffer_append_str(buffer, is_true ? STR("true") : STR("false"));
	else if (json_is_null(value))
		buffer_append_str(buffer, STR("null"));
	else
		write_number(buffer, value);
}

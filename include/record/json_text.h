/* Texts of values of yyjson, for code that does not read them by records. */
#pragma once

#include <stdbool.h>
#include <text/str.h>
#include <yyjson.h>

/* Returns the text; data is NULL, and the length 0, if the value is missing or of another type:
 * yyjson_get_len() alone is also the length of an array or an object. */
static inline struct str json_text(yyjson_val *value)
{
	if (!yyjson_is_str(value))
		return (struct str){0};
	return (struct str){yyjson_get_str(value), yyjson_get_len(value)};
}

/* Whether the object has none of these names twice: yyjson_obj_get() finds the first member, other
 * readers the last one. */
static inline bool json_has_each_once(yyjson_val *object, const char *const *names, size_t count)
{
	yyjson_obj_iter members = yyjson_obj_iter_with(object);
	uint64_t seen = 0;
	yyjson_val *name;

	while ((name = yyjson_obj_iter_next(&members))) {
		for (size_t i = 0; i < count; i++) {
			if (!yyjson_equals_str(name, names[i]))
				continue;
			if (seen >> i & 1)
				return false;
			seen |= UINT64_C(1) << i;
		}
	}
	return true;
}

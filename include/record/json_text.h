/* Texts of values of yyjson, for code that does not read them by records. */
#pragma once

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

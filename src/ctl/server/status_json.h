/* Reads the server's answers. What is missing reads as 0, "" or false. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <yyjson.h>

static inline yyjson_val *status_member(const yyjson_val *object, const char *name)
{
	return yyjson_obj_get((yyjson_val *)(uintptr_t)object, name);
}

static inline int64_t status_number(const yyjson_val *object, const char *name)
{
	return yyjson_get_sint(status_member(object, name));
}

static inline const char *status_text(const yyjson_val *object, const char *name)
{
	const char *found = yyjson_get_str(status_member(object, name));

	return found ? found : "";
}

static inline bool status_is_true(const yyjson_val *object, const char *name)
{
	return yyjson_get_bool(status_member(object, name));
}

#include "http/request.h"
#include "base/hex.h"

#include <text/utf8.h>

struct str http_request_field(const struct http_request *request, struct str name)
{
	for (unsigned i = 0; i < request->field_count; i++) {
		if (str_equal_ignore_case(request->fields[i].name, name))
			return request->fields[i].value;
	}
	return (struct str){0};
}

struct str http_request_query(const struct http_request *request, struct str name)
{
	struct str rest = request->query;
	struct str pair;

	while (str_next(&rest, '&', &pair)) {
		size_t end = str_find(pair, '=');

		if (!str_equal((struct str){pair.data, end}, name))
			continue;
		return str_from_offset(pair, end < pair.length ? end + 1 : end);
	}
	return (struct str){0};
}

bool http_decode(struct arena *arena, struct str text, struct str *ret_text)
{
	char *decoded = arena_alloc(arena, text.length + 1);
	size_t length = str_find(text, '%'); /* most texts have none */

	if (length)
		memcpy(decoded, text.data, length);
	for (size_t i = length; i < text.length; i++) {
		char c = text.data[i];

		if (c == '%') {
			int high = i + 2 < text.length ? hex_digit(text.data[i + 1]) : -1;
			int low = i + 2 < text.length ? hex_digit(text.data[i + 2]) : -1;

			if (high < 0 || low < 0)
				return false;
			c = (char)(high * 16 + low);
			i += 2;
			if (c == '\0')
				return false;
		}
		decoded[length++] = c;
	}
	decoded[length] = '\0';
	*ret_text = (struct str){decoded, length};
	return utf8_is_valid(*ret_text);
}

bool http_request_is_abandoned(const struct http_request *request)
{
	return !request->connection;
}

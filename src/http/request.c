#include "http/request.h"

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

bool http_request_is_abandoned(const struct http_request *request)
{
	return !request->connection;
}

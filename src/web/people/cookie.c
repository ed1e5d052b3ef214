#include "cookie.h"

struct str cookie_find(const struct http_request *request, struct str name)
{
	struct str value = {0};
	unsigned count = 0;

	for (unsigned i = 0; i < request->field_count; i++) {
		struct str rest = request->fields[i].value, pair;

		if (!str_equal_ignore_case(request->fields[i].name, STR("cookie")))
			continue;
		while (str_next(&rest, ';', &pair)) {
			size_t equals = str_find(pair, '=');

			if (equals == pair.length ||
			    !str_equal(str_trim((struct str){pair.data, equals}), name))
				continue;
			value = str_trim(str_from_offset(pair, equals + 1));
			count++;
		}
	}
	return count == 1 ? value : (struct str){0};
}

#include "http/conditional.h"

/* A weak comparison: "W/" makes no difference. */
static bool names_tag(struct str list, struct str tag)
{
	struct str item;

	if (str_equal(str_trim(list), STR("*")))
		return true;
	/* Our tags hold no comma, so splitting a foreign tag at its commas cannot hide ours. */
	while (str_next(&list, ',', &item)) {
		item = str_trim(item);
		if (str_starts_with(item, STR("W/")))
			item = str_from_offset(item, 2);
		if (str_equal(item, tag))
			return true;
	}
	return false;
}

bool http_has_tag(const struct http_request *request, struct str tag)
{
	for (unsigned i = 0; i < request->field_count; i++) {
		if (str_equal_ignore_case(request->fields[i].name, STR("if-none-match")) &&
		    names_tag(request->fields[i].value, tag))
			return true;
	}
	return false;
}

#include "http/conditional.h"

/* etagc of RFC 9110 section 8.8.3. */
static bool is_tag_char(char c)
{
	unsigned char byte = (unsigned char)c;

	return byte == 0x21 || (byte >= 0x23 && byte != 0x7f);
}

/* The length of the quoted text that s starts with, or 0. */
static size_t quoted_length(struct str s)
{
	size_t length = 1;

	if (s.length == 0 || s.data[0] != '"')
		return 0;
	while (length < s.length && is_tag_char(s.data[length]))
		length++;
	return length < s.length && s.data[length] == '"' ? length + 1 : 0;
}

bool http_next_tag(struct str *list, struct http_tag *ret_tag)
{
	struct str rest = str_trim(*list);
	size_t length;

	while (rest.length && rest.data[0] == ',')
		rest = str_trim(str_from_offset(rest, 1));
	*list = rest;
	ret_tag->is_weak = str_starts_with(rest, STR("W/"));
	if (ret_tag->is_weak)
		rest = str_from_offset(rest, 2);
	length = quoted_length(rest);
	ret_tag->text = (struct str){rest.data, length};
	rest = str_trim(str_from_offset(rest, length));
	if (length == 0 || (rest.length && rest.data[0] != ','))
		return false;
	*list = rest;
	return true;
}

static bool names_any(struct str list)
{
	return str_equal(str_trim(list), STR("*"));
}

static bool names_tag(struct str list, struct str tag)
{
	struct http_tag named;

	if (names_any(list))
		return true;
	while (http_next_tag(&list, &named)) {
		if (str_equal(named.text, tag))
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

bool http_has_any_tag(const struct http_request *request)
{
	for (unsigned i = 0; i < request->field_count; i++) {
		if (str_equal_ignore_case(request->fields[i].name, STR("if-none-match")) &&
		    names_any(request->fields[i].value))
			return true;
	}
	return false;
}

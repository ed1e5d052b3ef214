#include "text/authority.h"

enum authority_fault authority_read(struct str text, struct authority *ret_authority)
{
	bool has_brackets = text.length > 0 && text.data[0] == '[';
	struct str rest = str_from_offset(text, has_brackets);
	size_t length = str_find(rest, has_brackets ? ']' : ':');
	unsigned long long port;

	*ret_authority =
	    (struct authority){.host = {rest.data, length}, .has_brackets = has_brackets};
	if (has_brackets && length == rest.length)
		return AUTHORITY_OPEN;
	if (length == 0)
		return AUTHORITY_NO_HOST;
	rest = str_from_offset(rest, length + has_brackets);
	if (rest.length == 0)
		return AUTHORITY_FINE;
	if (rest.data[0] != ':')
		return AUTHORITY_MALFORMED;
	if (!str_to_uint64(str_from_offset(rest, 1), UINT16_MAX, &port) || port == 0)
		return AUTHORITY_BAD_PORT;
	ret_authority->port = (uint16_t)port;
	return AUTHORITY_FINE;
}

static bool is_plain(char c, bool has_brackets)
{
	if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || (c >= '0' && c <= '9') || c == '.')
		return true;
	if (has_brackets)
		return c == ':';
	return (c >= 'g' && c <= 'z') || (c >= 'G' && c <= 'Z') || c == '-' || c == '_';
}

bool authority_has_plain_host(const struct authority *authority)
{
	for (size_t i = 0; i < authority->host.length; i++)
		if (!is_plain(authority->host.data[i], authority->has_brackets))
			return false;
	return true;
}

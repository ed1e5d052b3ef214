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

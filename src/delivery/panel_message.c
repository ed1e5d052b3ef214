#include "panel_message.h"

#include <string.h>

bool panel_message_number(struct str text, struct str start, int64_t *ret_number)
{
	enum { DIGITS_MAX = 9 };
	unsigned long long number;
	struct str digits;

	if (text.length <= start.length + 1 || text.length > start.length + DIGITS_MAX + 1 ||
	    text.data[text.length - 1] != '}' || memcmp(text.data, start.data, start.length) != 0)
		return false;
	digits = (struct str){text.data + start.length, text.length - start.length - 1};
	if ((digits.data[0] == '0' && digits.length > 1) ||
	    !str_to_uint64(digits, INT32_MAX, &number))
		return false;
	*ret_number = (int64_t)number;
	return true;
}

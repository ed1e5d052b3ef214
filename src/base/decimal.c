#include "base/decimal.h"

#include <string.h>

size_t decimal_format(int64_t number, char ret_text[static DECIMAL_BYTES_MAX])
{
	uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
	char digits[DECIMAL_BYTES_MAX];
	size_t first = sizeof(digits);
	size_t length;

	do {
		digits[--first] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	if (number < 0)
		digits[--first] = '-';
	length = sizeof(digits) - first;
	memcpy(ret_text, digits + first, length);
	return length;
}

#include "base/decimal.h"

size_t decimal_format(int64_t number, char ret_text[static DECIMAL_BYTES_MAX])
{
	uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
	size_t length = number < 0 ? 2 : 1;
	size_t at;

	for (uint64_t power = 10; rest >= power; power *= 10) /* 10^19 fits, and ends it */
		length++;
	ret_text[0] = '-';
	at = length;
	do {
		ret_text[--at] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	return length;
}

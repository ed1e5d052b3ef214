#include "base/hex.h"

void hex_encode(const void *data, size_t size, char *ret_text)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *bytes = data;

	for (size_t i = 0; i < size; i++) {
		ret_text[2 * i] = digits[bytes[i] >> 4];
		ret_text[2 * i + 1] = digits[bytes[i] & 15];
	}
	ret_text[2 * size] = '\0';
}

/* Value of a digit plus one; 0: not a digit. */
static const uint8_t plus_one[256] = {
    ['0'] = 1,	['1'] = 2,  ['2'] = 3,	['3'] = 4,  ['4'] = 5,	['5'] = 6,  ['6'] = 7,	['7'] = 8,
    ['8'] = 9,	['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

static int digit_value(char c)
{
	return plus_one[(unsigned char)c] - 1;
}

int hex_digit(char c)
{
	return digit_value(c);
}

bool hex_decode(struct str text, void *ret_data, size_t size)
{
	uint8_t *bytes = ret_data;

	if (text.length != 2 * size)
		return false;
	for (size_t i = 0; i < text.length; i++) {
		if (digit_value(text.data[i]) < 0)
			return false;
	}
	for (size_t i = 0; i < size; i++) {
		int high = digit_value(text.data[2 * i]);
		int low = digit_value(text.data[2 * i + 1]);

		bytes[i] = (uint8_t)(high * 16 + low);
	}
	return true;
}

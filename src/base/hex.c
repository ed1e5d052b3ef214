#include "base/hex.h"

#include <endian.h>
#include <string.h>
#include <text/swar.h>

/* Returns the eight lower-case digits of a number, the first one in the highest byte. */
static uint64_t eight_digits(uint32_t number)
{
	uint64_t halves = number;
	uint64_t are_letters;

	halves = (halves << 16 | halves) & UINT64_C(0x0000ffff0000ffff);
	halves = (halves << 8 | halves) & UINT64_C(0x00ff00ff00ff00ff);
	halves = (halves << 4 | halves) & SWAR_EACH(0x0f);
	are_letters = (halves + SWAR_EACH(6)) >> 4 & SWAR_EACH(1);
	return halves + SWAR_EACH('0') + are_letters * ('a' - '0' - 10);
}

void hex_encode(const void *data, size_t size, char *ret_text)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *bytes = data;
	size_t i = 0;

	for (; i + 4 <= size; i += 4) {
		uint32_t number;
		uint64_t text;

		memcpy(&number, bytes + i, sizeof(number));
		text = htobe64(eight_digits(be32toh(number)));
		memcpy(ret_text + 2 * i, &text, sizeof(text));
	}
	for (; i < size; i++) {
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

static bool are_digits(uint64_t eight)
{
	return (swar_has_between(eight, '0', '9') | swar_has_between(eight, 'a', 'f') |
		swar_has_between(eight, 'A', 'F')) == SWAR_EACH(0x80);
}

/* Returns the number of eight digits, the first one in the highest byte. */
static uint32_t number_of(uint64_t eight)
{
	uint64_t halves = (eight & SWAR_EACH(0x0f)) + (eight >> 6 & SWAR_EACH(1)) * 9;

	halves = (halves >> 4 | halves) & UINT64_C(0x00ff00ff00ff00ff);
	halves = (halves >> 8 | halves) & UINT64_C(0x0000ffff0000ffff);
	return (uint32_t)(halves >> 16 | halves);
}

bool hex_decode(struct str text, void *ret_data, size_t size)
{
	uint8_t *bytes = ret_data;
	size_t i = 0;

	if (text.length != 2 * size)
		return false;
	for (; i + 8 <= text.length; i += 8) {
		if (!are_digits(swar_load(text.data + i)))
			return false;
	}
	for (; i < text.length; i++) {
		if (digit_value(text.data[i]) < 0)
			return false;
	}
	for (i = 0; i + 4 <= size; i += 4) {
		uint32_t number = htobe32(number_of(be64toh(swar_load(text.data + 2 * i))));

		memcpy(bytes + i, &number, sizeof(number));
	}
	for (; i < size; i++) {
		int high = digit_value(text.data[2 * i]);
		int low = digit_value(text.data[2 * i + 1]);

		bytes[i] = (uint8_t)(high * 16 + low);
	}
	return true;
}

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

int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool hex_decode(struct str text, void *ret_data, size_t size)
{
	uint8_t *bytes = ret_data;

	if (text.length != 2 * size)
		return false;
	for (size_t i = 0; i < text.length; i++) {
		if (hex_digit(text.data[i]) < 0)
			return false;
	}
	for (size_t i = 0; i < size; i++) {
		int high = hex_digit(text.data[2 * i]);
		int low = hex_digit(text.data[2 * i + 1]);

		bytes[i] = (uint8_t)(high * 16 + low);
	}
	return true;
}

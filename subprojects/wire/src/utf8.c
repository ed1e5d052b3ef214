#include "wire/utf8.h"

#include <string.h>

/* No overlong form, no surrogate, nothing above U+10FFFF. */
static bool begin(struct wire_utf8 *utf8, uint8_t c)
{
	utf8->low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
	utf8->high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
	utf8->left = c < 0x80 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
	return c < 0x80 || (c >= 0xc2 && c <= 0xf4);
}

static bool is_ascii(const uint8_t *data)
{
	uint64_t word;

	memcpy(&word, data, sizeof(word));
	return (word & 0x8080808080808080) == 0;
}

bool wire_utf8_add(struct wire_utf8 *utf8, const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (utf8->left == 0) {
			while (size - i > 8 && is_ascii(data + i))
				i += 8;
			if (!begin(utf8, data[i]))
				return false;
		} else {
			if (data[i] < utf8->low || data[i] > utf8->high)
				return false;
			utf8->left--;
			utf8->low = 0x80;
			utf8->high = 0xbf;
		}
	}
	return true;
}

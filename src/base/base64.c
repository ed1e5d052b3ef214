#include "base/base64.h"

#include <errno.h>

/* One table per position in a group of four, so that a group is three ORs. Bits 24 and up say what
 * a character needs: 1 = invalid, 2 = only in the standard alphabet, 4 = only in the URL-safe. */
enum { INVALID = 1u << 24, STANDARD = 1u << 25, URL_SAFE = 1u << 26 };

static uint32_t tables[4][256];

static uint32_t character_value(unsigned c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	switch (c) {
	case '+':
		return 62 | STANDARD;
	case '/':
		return 63 | STANDARD;
	case '-':
		return 62 | URL_SAFE;
	case '_':
		return 63 | URL_SAFE;
	default:
		return INVALID;
	}
}

/* Before main(), so that worker threads find the tables ready. */
__attribute__((constructor)) static void tables_init(void)
{
	for (unsigned c = 0; c < 256; c++) {
		uint32_t value = character_value(c);
		uint32_t flags = value & 0xff000000u;

		for (int position = 0; position < 4; position++)
			tables[position][c] = flags | (value & 63) << (18 - 6 * position);
	}
}

static struct str without_padding(struct str text)
{
	size_t padding = 0;

	if (text.length == 0 || text.length % 4 != 0)
		return text;
	while (padding < 2 && text.data[text.length - 1 - padding] == '=')
		padding++;
	text.length -= padding;
	return text;
}

static int decode_tail(const uint8_t *in, size_t length, uint8_t *out, uint32_t *seen)
{
	uint32_t bits;

	if (length == 1)
		return -EINVAL;
	bits = tables[0][in[0]] | tables[1][in[1]];
	if (length == 3)
		bits |= tables[2][in[2]];
	*seen |= bits;
	if (bits & (length == 2 ? 0xffffu : 0xffu))
		return -EINVAL;
	out[0] = (uint8_t)(bits >> 16);
	if (length == 3)
		out[1] = (uint8_t)(bits >> 8);
	return 0;
}

int base64_decode(struct str text, uint8_t *ret_data, size_t *ret_size)
{
	uint32_t seen = 0;
	uint8_t *out = ret_data;
	const uint8_t *in;
	size_t left;

	text = without_padding(text);
	in = (const uint8_t *)text.data;
	for (left = text.length; left >= 4; left -= 4, in += 4) {
		uint32_t bits =
		    tables[0][in[0]] | tables[1][in[1]] | tables[2][in[2]] | tables[3][in[3]];

		seen |= bits;
		out[0] = (uint8_t)(bits >> 16);
		out[1] = (uint8_t)(bits >> 8);
		out[2] = (uint8_t)bits;
		out += 3;
	}
	if (left > 0) {
		if (decode_tail(in, left, out, &seen))
			return -EINVAL;
		out += left - 1;
	}
	if (seen & INVALID || (seen & (STANDARD | URL_SAFE)) == (STANDARD | URL_SAFE))
		return -EINVAL;
	*ret_size = (size_t)(out - ret_data);
	return 0;
}

#include "text/base64.h"

#include <errno.h>
#include <stdio.h>

/* Tables for each position in a group of four, so that a group is three ORs. Bits 24 and up
 * describe a character: 1 = invalid, 2 = only in standard Base64, 4 = only in URL-safe. */
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

/* Runs before main(), so that the tables are ready for all threads. */
__attribute__((constructor)) static void tables_init(void)
{
	for (unsigned c = 0; c < 256; c++) {
		uint32_t value = character_value(c);
		uint32_t flags = value & 0xff000000u;

		for (int position = 0; position < 4; position++)
			tables[position][c] = flags | (value & 63) << (18 - 6 * position);
	}
}

int base64_value(char digit)
{
	uint32_t value = tables[3][(unsigned char)digit];

	return value & (INVALID | URL_SAFE) ? -1 : (int)(value & 63);
}

void base64_encode(const void *data, size_t size, char *ret_text)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const uint8_t *from = data;

	for (size_t i = 0; i < size; i += 3) {
		uint32_t bits = (uint32_t)from[i] << 16;

		if (i + 1 < size)
			bits |= (uint32_t)from[i + 1] << 8;
		if (i + 2 < size)
			bits |= from[i + 2];
		*ret_text++ = digits[bits >> 18];
		*ret_text++ = digits[bits >> 12 & 63];
		*ret_text++ = i + 1 < size ? digits[bits >> 6 & 63] : '=';
		*ret_text++ = i + 2 < size ? digits[bits & 63] : '=';
	}
}

/* White space of ASCII, as the WHATWG's infra standard has it. */
static bool is_space(unsigned char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f';
}

struct str base64_skip_space(struct str text)
{
	size_t i = 0;

	while (i < text.length && is_space((unsigned char)text.data[i]))
		i++;
	return str_from_offset(text, i);
}

size_t base64_significant(struct str text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.length; i++)
		count += !is_space((unsigned char)text.data[i]);
	return count;
}

/* State of a decoding. */
struct decoder {
	const uint8_t *in;
	const uint8_t *end;
	uint8_t *out;
	uint32_t seen; /* bits 24 and up of all characters */
};

static void decode_groups(struct decoder *decoder)
{
	while (decoder->end - decoder->in >= 4) {
		const uint8_t *in = decoder->in;
		uint32_t bits =
		    tables[0][in[0]] | tables[1][in[1]] | tables[2][in[2]] | tables[3][in[3]];

		if (bits & INVALID)
			return;
		decoder->seen |= bits;
		decoder->out[0] = (uint8_t)(bits >> 16);
		decoder->out[1] = (uint8_t)(bits >> 8);
		decoder->out[2] = (uint8_t)bits;
		decoder->out += 3;
		decoder->in += 4;
	}
}

/* Reads up to four characters, skipping white space, up to padding or the end. */
static unsigned take_group(struct decoder *decoder, uint8_t ret_group[static 4])
{
	unsigned count = 0;

	for (; count < 4 && decoder->in < decoder->end && *decoder->in != '='; decoder->in++) {
		if (!is_space(*decoder->in))
			ret_group[count++] = *decoder->in;
	}
	return count;
}

static int decode_group(struct decoder *decoder, const uint8_t *group, unsigned count)
{
	uint32_t bits = 0;

	if (count == 1)
		return -EINVAL;
	for (unsigned i = 0; i < count; i++)
		bits |= tables[i][group[i]];
	decoder->seen |= bits;
	if (bits & INVALID || bits & (count == 2 ? 0xffffu : count == 3 ? 0xffu : 0))
		return -EINVAL;
	for (unsigned i = 0; i + 1 < count; i++)
		*decoder->out++ = (uint8_t)(bits >> (16 - 8 * i));
	return 0;
}

/* Whether the last group, of count characters, is followed by nothing or by the padding that it
 * needs. */
static bool ends_well(const struct decoder *decoder, unsigned count)
{
	unsigned padding = 0;

	for (const uint8_t *in = decoder->in; in < decoder->end; in++) {
		if (*in == '=')
			padding++;
		else if (!is_space(*in))
			return false;
	}
	return padding == 0 || (count >= 2 && count + padding == 4);
}

int base64_decode(struct str text, uint8_t *ret_data, size_t *ret_size)
{
	struct decoder decoder = {.in = (const uint8_t *)text.data, .out = ret_data};
	uint8_t group[4];
	unsigned count;

	if (text.length == 0) {
		*ret_size = 0;
		return 0;
	}
	decoder.end = decoder.in + text.length;
	do {
		decode_groups(&decoder);
		count = take_group(&decoder, group);
		if (count > 0 && decode_group(&decoder, group, count))
			return -EINVAL;
	} while (count == 4);
	if (!ends_well(&decoder, count) ||
	    (decoder.seen & (STANDARD | URL_SAFE)) == (STANDARD | URL_SAFE))
		return -EINVAL;
	*ret_size = (size_t)(decoder.out - ret_data);
	return 0;
}

static void explain_character(unsigned char c, size_t position, char *ret, size_t size)
{
	if (c == '=')
		snprintf(ret, size, "has padding in the wrong place, character %zu of it",
			 position);
	else if (c > ' ' && c < 0x7f)
		snprintf(ret, size, "has \"%c\" as character %zu of it", c, position);
	else
		snprintf(ret, size, "has the byte 0x%02x as character %zu of it", c, position);
}

void base64_explain(struct str text, char ret_text[static BASE64_EXPLANATION_BYTES])
{
	const size_t size = BASE64_EXPLANATION_BYTES;
	uint32_t seen = 0;
	size_t count = 0, padding = 0;

	for (size_t i = 0; i < text.length; i++) {
		unsigned char c = (unsigned char)text.data[i];
		uint32_t value = tables[0][c];

		if (is_space(c))
			continue;
		if (c == '=' && count % 4 >= 2 && count % 4 + padding < 4) {
			padding++;
			continue;
		}
		seen |= value;
		if (value & INVALID || padding > 0) {
			explain_character(value & INVALID ? c : '=', i + 1, ret_text, size);
			return;
		}
		if ((seen & (STANDARD | URL_SAFE)) == (STANDARD | URL_SAFE)) {
			snprintf(
			    ret_text, size,
			    "mixes the standard and the URL-safe alphabet: \"%c\" is character "
			    "%zu of it",
			    c, i + 1);
			return;
		}
		count++;
	}
	if (count % 4 == 1 || (padding > 0 && count % 4 + padding != 4))
		snprintf(ret_text, size, "ends too soon, after %zu characters of it",
			 count + padding);
	else
		snprintf(ret_text, size,
			 "ends too soon: its last character holds bits of a byte that "
			 "does not follow");
}

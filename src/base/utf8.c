#include "base/utf8.h"
#include "base/swar.h"

static bool is_continuation(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* Unicode standard, table 3-7. */
size_t utf8_sequence_length(struct str text)
{
	const unsigned char *s = (const unsigned char *)text.data;
	size_t length = text.length;
	unsigned char first;

	if (length == 0)
		return 0;
	first = s[0];
	if (first < 0x80)
		return 1;
	if (first < 0xc2 || first > 0xf4 || length < 2 || !is_continuation(s[1]))
		return 0;
	if (first < 0xe0)
		return 2;
	if (length < 3 || !is_continuation(s[2]))
		return 0;
	if (first < 0xf0) {
		if ((first == 0xe0 && s[1] < 0xa0) || (first == 0xed && s[1] > 0x9f))
			return 0;
		return 3;
	}
	if (length < 4 || !is_continuation(s[3]))
		return 0;
	if ((first == 0xf0 && s[1] < 0x90) || (first == 0xf4 && s[1] > 0x8f))
		return 0;
	return 4;
}

bool utf8_is_valid(struct str text)
{
	while (text.length) {
		size_t length = utf8_sequence_length(text);

		if (text.length >= 8 && !(swar_load(text.data) & SWAR_EACH(0x80)))
			length = 8; /* all of them ASCII */
		if (length == 0)
			return false;
		text = str_from_offset(text, length);
	}
	return true;
}

uint32_t utf8_next(struct str *text)
{
	const unsigned char *s = (const unsigned char *)text->data;
	size_t length = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	uint32_t code_point = length == 1 ? s[0] : s[0] & (0x7fu >> length);

	for (size_t i = 1; i < length; i++)
		code_point = code_point << 6 | (s[i] & 0x3fu);
	*text = str_from_offset(*text, length);
	return code_point;
}

size_t utf8_length(struct str text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.length; i++)
		count += !is_continuation((unsigned char)text.data[i]);
	return count;
}

bool utf8_is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

bool utf8_is_steering(uint32_t c)
{
	if (c < 0x61c)
		return utf8_is_control(c);
	return c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
}

void utf8_escape(uint32_t c, char ret_text[static UTF8_ESCAPE_BYTES + 1])
{
	static const char digits[] = "0123456789abcdef";

	ret_text[0] = '\\';
	ret_text[1] = 'u';
	for (int i = 0; i < 4; i++)
		ret_text[2 + i] = digits[c >> (12 - 4 * i) & 15];
	ret_text[UTF8_ESCAPE_BYTES] = 0;
}

bool utf8_is_space(uint32_t c)
{
	return (c >= 0x09 && c <= 0x0d) || c == 0x20 || c == 0x85 || c == 0xa0 || c == 0x1680 ||
	       (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
	       c == 0x205f || c == 0x3000;
}

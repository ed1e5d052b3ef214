#include "text/utf8.h"
#include "text/swar.h"

/* Unicode standard, table 3-7. */
static bool utf8_begin(struct utf8_stream *stream, uint8_t first)
{
	stream->low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
	stream->high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
	stream->left = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
	return first < 0x80 || (first >= 0xc2 && first <= 0xf4);
}

static bool go_on(struct utf8_stream *stream, uint8_t next)
{
	if (next < stream->low || next > stream->high)
		return false;
	stream->left--;
	stream->low = 0x80;
	stream->high = 0xbf;
	return true;
}

bool utf8_add(struct utf8_stream *stream, struct str piece)
{
	const char *at = piece.data, *end;

	if (piece.length == 0)
		return true;
	end = at + piece.length;
	while (at < end) {
		uint8_t c = (uint8_t)*at;

		if (stream->left == 0 && c < 0x80) {
			bool are_ascii = end - at >= 8 && !(swar_load(at) & SWAR_EACH(0x80));

			at += are_ascii ? 8 : 1;
			continue;
		}
		if (stream->left ? !go_on(stream, c) : !utf8_begin(stream, c))
			return false;
		at++;
	}
	return true;
}

bool utf8_is_valid(struct str text)
{
	struct utf8_stream stream = {0};

	return utf8_add(&stream, text) && stream.left == 0;
}

size_t utf8_sequence_length(struct str text)
{
	struct utf8_stream stream;
	size_t length;

	if (text.length == 0 || !utf8_begin(&stream, (uint8_t)text.data[0]))
		return 0;
	length = (size_t)stream.left + 1;
	if (length > text.length)
		return 0;
	for (size_t i = 1; i < length; i++)
		if (!go_on(&stream, (uint8_t)text.data[i]))
			return 0;
	return length;
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

static bool is_continuation(char c)
{
	return ((uint8_t)c & 0xc0) == 0x80;
}

size_t utf8_length(struct str text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.length; i++)
		count += !is_continuation(text.data[i]);
	return count;
}

struct str utf8_cut(struct str text, size_t most)
{
	if (text.length <= most)
		return text;
	while (most > 0 && is_continuation(text.data[most]))
		most--;
	return (struct str){text.data, most};
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

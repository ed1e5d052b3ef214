#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool make_room(struct text *text, size_t length)
{
	size_t wanted = text->length + length + 1, capacity = text->capacity;
	char *data;

	if (text->failed || (text->most && wanted - 1 > text->most)) {
		text->failed = true;
		return false;
	}
	if (wanted <= capacity)
		return true;
	capacity = wanted + wanted / 2 + 64;
	data = realloc(text->data, capacity);
	if (!data) {
		text->failed = true;
		return false;
	}
	text->data = data;
	text->capacity = capacity;
	return true;
}

void text_finish(struct text *text)
{
	size_t most = text->most;

	free(text->data);
	*text = (struct text){.most = most};
}

void text_add(struct text *text, const char *data, size_t length)
{
	if (!make_room(text, length))
		return;
	if (length)
		memcpy(text->data + text->length, data, length);
	text->length += length;
	text->data[text->length] = '\0';
}

void text_add_str(struct text *text, const char *string)
{
	text_add(text, string, strlen(string));
}

void text_add_format(struct text *text, const char *format, ...)
{
	char line[512];
	va_list arguments;

	va_start(arguments, format);
	/* Suppressed, as this file is compiled twice, and the second time clang-tidy 14 forgets
	 * what va_start() is. */
	vsnprintf(line, sizeof(line), format, arguments); // NOLINT(clang-analyzer-valist.*)
	va_end(arguments);
	text_add_str(text, line);
}

/* Bytes of the character of UTF-8 at the start of data (RFC 3629); 0 if there is none. */
static size_t character_length(const uint8_t *data, size_t length)
{
	size_t size = data[0] < 0x80 ? 1 : data[0] < 0xe0 ? 2 : data[0] < 0xf0 ? 3 : 4;
	uint8_t least = 0x80, most = 0xbf;

	if (size == 1)
		return 1;
	if (data[0] < 0xc2 || data[0] > 0xf4 || size > length)
		return 0;
	if (data[0] == 0xe0)
		least = 0xa0;
	else if (data[0] == 0xf0)
		least = 0x90;
	else if (data[0] == 0xed)
		most = 0x9f; /* surrogates are no characters */
	else if (data[0] == 0xf4)
		most = 0x8f;
	if (data[1] < least || data[1] > most)
		return 0;
	for (size_t i = 2; i < size; i++)
		if ((data[i] & 0xc0) != 0x80)
			return 0;
	return size;
}

/* Adds one character; returns how many bytes of data it was. */
static size_t add_character(struct text *text, const char *data, size_t length)
{
	size_t size = character_length((const uint8_t *)data, length);

	if (size == 0) {
		text_add_str(text, "\xef\xbf\xbd");
		return 1;
	}
	if (*data == '"' || *data == '\\')
		text_add_str(text, "\\");
	if ((uint8_t)*data < 0x20)
		text_add_format(text, "\\u%04x", *data);
	else
		text_add(text, data, size);
	return size;
}

static bool is_plain(char c)
{
	return (uint8_t)c >= 0x20 && (uint8_t)c < 0x80 && c != '"' && c != '\\';
}

void text_add_json(struct text *text, const char *data, size_t length)
{
	size_t plain;

	text_add_str(text, "\"");
	for (size_t i = 0; i < length && !text->failed; i += plain) {
		for (plain = 0; i + plain < length && is_plain(data[i + plain]);)
			plain++;
		text_add(text, data + i, plain);
		if (i + plain < length)
			plain += add_character(text, data + i + plain, length - i - plain);
	}
	text_add_str(text, "\"");
}

void text_add_base64(struct text *text, const uint8_t *data, size_t length)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t size = (length + 2) / 3 * 4;
	char *to;

	text_add_str(text, "\"");
	if (!make_room(text, size))
		return;
	to = text->data + text->length;
	for (size_t i = 0; i < length; i += 3) {
		uint32_t bits = (uint32_t)data[i] << 16;

		if (i + 1 < length)
			bits |= (uint32_t)data[i + 1] << 8;
		if (i + 2 < length)
			bits |= data[i + 2];
		*to++ = digits[bits >> 18];
		*to++ = digits[bits >> 12 & 63];
		*to++ = i + 1 < length ? digits[bits >> 6 & 63] : '=';
		*to++ = i + 2 < length ? digits[bits & 63] : '=';
	}
	text->length += size;
	text->data[text->length] = '\0';
	text_add_str(text, "\"");
}

void text_cut(struct text *text, size_t length)
{
	if (text->failed)
		return;
	text->length = length;
	if (text->data)
		text->data[length] = '\0';
}

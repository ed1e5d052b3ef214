#include "sandboxed/bytes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <text/base64.h>
#include <text/utf8.h>

enum { LEAST = 256, LINE = 512 };

static const struct str replacement = STR("\xef\xbf\xbd");

void *memory_take(size_t size)
{
	return calloc(1, size);
}

void bytes_finish(struct bytes *bytes)
{
	size_t most = bytes->most;

	free(bytes->data);
	*bytes = (struct bytes){.most = most};
}

char *bytes_reserve(struct bytes *bytes, size_t length)
{
	size_t wanted = bytes->length + length + 1; /* including the NUL */

	if (bytes->failed || (bytes->most && wanted - 1 > bytes->most)) {
		bytes->failed = true;
		return NULL;
	}
	if (wanted > bytes->capacity) {
		size_t capacity = bytes->capacity + bytes->capacity / 2;
		char *data;

		if (capacity < wanted)
			capacity = wanted;
		if (capacity < LEAST)
			capacity = LEAST;
		data = realloc(bytes->data, capacity);
		if (!data) {
			bytes->failed = true;
			return NULL;
		}
		bytes->data = data;
		bytes->capacity = capacity;
	}
	return bytes->data + bytes->length;
}

void bytes_add(struct bytes *bytes, const void *data, size_t length)
{
	char *to = length > 0 ? bytes_reserve(bytes, length) : NULL;

	if (!to)
		return;
	memcpy(to, data, length);
	to[length] = '\0';
	bytes->length += length;
}

void bytes_add_text(struct bytes *bytes, const char *text)
{
	bytes_add(bytes, text, strlen(text));
}

void bytes_add_format(struct bytes *bytes, const char *format, ...)
{
	char line[LINE];
	va_list arguments;

	va_start(arguments, format);
	/* Suppressed, as this file is compiled twice, and the second time clang-tidy 14 forgets
	 * what va_start() is. */
	vsnprintf(line, sizeof(line), format, arguments); // NOLINT(clang-analyzer-valist.*)
	va_end(arguments);
	bytes_add_text(bytes, line);
}

/* Adds one character; returns how many bytes of the text it was. */
static size_t add_character(struct bytes *bytes, struct str text)
{
	size_t length = utf8_sequence_length(text);

	bytes_add(bytes, length ? text.data : replacement.data,
		  length ? length : replacement.length);
	return length ? length : 1;
}

void bytes_add_valid(struct bytes *bytes, struct str text)
{
	while (text.length)
		text = str_from_offset(text, add_character(bytes, text));
}

static bool is_plain(char c)
{
	return (uint8_t)c >= 0x20 && (uint8_t)c < 0x80 && c != '"' && c != '\\';
}

/* Adds one character of a string of JSON; returns how many bytes of the text it was. */
static size_t add_escaped(struct bytes *bytes, struct str text)
{
	char c = text.data[0];

	if ((uint8_t)c < 0x20) {
		bytes_add_format(bytes, "\\u%04x", c);
		return 1;
	}
	if (c == '"' || c == '\\')
		bytes_add_text(bytes, "\\");
	return add_character(bytes, text);
}

void bytes_add_json(struct bytes *bytes, const char *data, size_t length)
{
	struct str text = {data, length};

	bytes_add_text(bytes, "\"");
	while (text.length && !bytes->failed) {
		size_t plain = 0;

		while (plain < text.length && is_plain(text.data[plain]))
			plain++;
		bytes_add(bytes, text.data, plain);
		text = str_from_offset(text, plain);
		if (text.length)
			text = str_from_offset(text, add_escaped(bytes, text));
	}
	bytes_add_text(bytes, "\"");
}

void bytes_add_base64(struct bytes *bytes, const void *data, size_t length)
{
	size_t size = base64_encoded_length(length);
	char *to = bytes_reserve(bytes, size);

	if (!to)
		return;
	base64_encode(data, length, to);
	to[size] = '\0';
	bytes->length += size;
}

void bytes_skip(struct bytes *bytes, size_t length)
{
	bytes->length -= length;
	if (bytes->length == 0) {
		bytes_finish(bytes);
		return;
	}
	memmove(bytes->data, bytes->data + length, bytes->length);
	bytes->data[bytes->length] = '\0';
}

#include "db/hint_text.h"
#include "base/hex.h"
#include "base/limits.h"

#include <text/swar.h>
#include <text/utf8.h>

bool hint_is_word(struct str text)
{
	size_t i = 0;

	for (; i + 8 <= text.length; i += 8) {
		uint64_t eight = swar_load(text.data + i);

		if ((eight & SWAR_EACH(0x80)) | swar_has_below(eight, ' ' + 1) |
		    swar_has(eight, '~' + 1))
			return false;
	}
	for (; i < text.length; i++) {
		if (text.data[i] <= ' ' || text.data[i] > '~')
			return false;
	}
	return text.length > 0 && text.length <= LIMIT_HINT_WORD_BYTES;
}

static bool is_plain(char c)
{
	return c > ' ' && c <= '~' && c != ':' && c != '%';
}

void hint_text_write(struct buffer *word, struct str text)
{
	for (size_t i = 0; i < text.length; i++) {
		if (is_plain(text.data[i]))
			buffer_append_char(word, text.data[i]);
		else
			buffer_printf(word, "%%%02x", (unsigned char)text.data[i]);
	}
}

bool hint_text_read(struct str text, size_t max, struct arena *arena, struct str *ret_text)
{
	char *bytes;
	size_t length = 0;

	*ret_text = (struct str){0};
	if (text.length == 0)
		return true;
	bytes = arena_alloc(arena, text.length + 1);
	for (size_t i = 0; i < text.length; i++) {
		char c = text.data[i];

		if (c == '%') {
			if (text.length - i < 3 ||
			    !hex_decode((struct str){text.data + i + 1, 2}, &bytes[length], 1))
				return false;
			i += 2;
		} else if (is_plain(c)) {
			bytes[length] = c;
		} else {
			return false;
		}
		if (bytes[length++] == '\0')
			return false;
	}
	bytes[length] = '\0';
	*ret_text = (struct str){bytes, length};
	return length <= max && utf8_is_valid(*ret_text);
}

bool hint_number_read(struct str text, unsigned long long max, int64_t *ret_number)
{
	unsigned long long number;

	if (!str_to_uint64(text, max, &number))
		return false;
	*ret_number = (int64_t)number;
	return true;
}

bool hint_split(struct str text, struct str *ret_fields, unsigned count)
{
	unsigned found = 0;
	struct str piece;

	while (str_next(&text, ':', &piece)) {
		if (found == count)
			return false;
		ret_fields[found++] = piece;
	}
	return found == count;
}

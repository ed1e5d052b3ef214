/* Unicode text as bytes (RFC 3629). */
#pragma once

#include "text/str.h"

#include <stdint.h>

/* A text that comes in pieces. Zeroed between characters. */
struct utf8_stream {
	uint8_t left; /* bytes that the character still needs */
	uint8_t low;  /* bounds of its next byte */
	uint8_t high;
};

/* False as soon as the text cannot be well-formed any more: no overlong form, no surrogate, nothing
 * above U+10FFFF. Text may end if left is 0. */
bool utf8_add(struct utf8_stream *stream, struct str piece);

/* Whether the text is well-formed. */
bool utf8_is_valid(struct str text);

/* Bytes of the well-formed sequence at the front; 0 if there is none, or text is empty. */
size_t utf8_sequence_length(struct str text);

/* Takes the first code point off valid text; text must not be empty. */
uint32_t utf8_next(struct str *text);

/* Code points of valid text. */
size_t utf8_length(struct str text);

/* At most so many bytes of valid text, without a part of a character at their end. */
struct str utf8_cut(struct str text, size_t most);

/* Cc of the Unicode character database: U+0000 to U+001F and U+007F to U+009F. */
bool utf8_is_control(uint32_t code_point);

/* Whether it does more to a reader than show a character: control characters, what changes the
 * direction of the text beside it (UAX 9, explicit and implicit marks), and separators of lines.
 * All are below U+10000. */
bool utf8_is_steering(uint32_t code_point);

enum { UTF8_ESCAPE_BYTES = 6 };
/* "\u202e" and a NUL: as JSON and people write such a character. */
void utf8_escape(uint32_t code_point, char ret_text[static UTF8_ESCAPE_BYTES + 1]);

/* White_Space of the Unicode character database. */
bool utf8_is_space(uint32_t code_point);

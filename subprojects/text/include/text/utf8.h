/* Unicode text as bytes (RFC 3629). */
#pragma once

#include "text/str.h"

#include <stdint.h>

/* State of a text that arrives in pieces. Zeroed between characters. */
struct utf8_stream {
	uint8_t left; /* bytes that the character still needs */
	uint8_t low;  /* bounds of the character's next byte */
	uint8_t high;
};

/* Checks the next piece. Returns false as soon as the text cannot be well-formed any more: overlong
 * forms, surrogates and numbers above U+10FFFF are invalid. The text may end if left is 0. */
bool utf8_add(struct utf8_stream *stream, struct str piece);

/* Whether the text is well-formed. */
bool utf8_is_valid(struct str text);

/* Returns the length in bytes of the well-formed sequence at the front; 0 if there is none, or text
 * is empty. */
size_t utf8_sequence_length(struct str text);

/* Takes the first code point off valid text; text must not be empty. */
uint32_t utf8_next(struct str *text);

/* Counts the code points of valid text. */
size_t utf8_length(struct str text);

/* Returns at most so many bytes of valid text, without a part of a character at the end. */
struct str utf8_cut(struct str text, size_t most);

/* Whether it is Cc in the Unicode character database: U+0000 to U+001F and U+007F to U+009F. */
bool utf8_is_control(uint32_t code_point);

/* Whether it affects the display of other characters: control characters, marks that change the
 * direction of text (UAX 9, explicit and implicit), and separators of lines. All are below U+10000.
 */
bool utf8_is_steering(uint32_t code_point);

enum { UTF8_ESCAPE_BYTES = 6 };
/* Writes such a character as JSON does, "\u202e", and a NUL. */
void utf8_escape(uint32_t code_point, char ret_text[static UTF8_ESCAPE_BYTES + 1]);

/* Whether it is White_Space in the Unicode character database. */
bool utf8_is_space(uint32_t code_point);

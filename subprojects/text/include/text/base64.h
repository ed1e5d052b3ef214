/* Base64 (RFC 4648 sections 4 and 5). */
#pragma once

#include "text/str.h"

#include <stdint.h>

/* Returns the largest number of bytes that a text of this length decodes to. */
static inline size_t base64_decoded_max(size_t text_length)
{
	return text_length / 4 * 3 + 3;
}

/* Returns the number of characters that size bytes encode to, with padding. */
static inline size_t base64_encoded_length(size_t size)
{
	return (size + 2) / 3 * 4;
}

/* Writes the standard alphabet with padding, base64_encoded_length() characters without a NUL. */
void base64_encode(const void *data, size_t size, char *ret_text);

/* Returns the value of a digit of the standard alphabet; -1: it is none. */
int base64_value(char digit);

/* Decodes the standard or the URL-safe alphabet, never both in one text, with correct padding or
 * none. ASCII white space is skipped anywhere, since `base64 FILE` wraps its lines. Bits behind the
 * last byte must be zero. ret_data must have base64_decoded_max() bytes for text's length, or for
 * base64_significant(). Returns 0, or -EINVAL. */
__attribute__((warn_unused_result)) int base64_decode(struct str text, uint8_t *ret_data,
						      size_t *ret_size);

/* Returns the text without leading ASCII white space. */
struct str base64_skip_space(struct str text);

/* Counts the characters that are not ASCII white space. */
size_t base64_significant(struct str text);

enum { BASE64_EXPLANATION_BYTES = 100 };

/* Writes why and where base64_decode() has refused a text, as words that follow "the base64".
 * Characters are counted from 1, white space too. */
void base64_explain(struct str text, char ret_text[static BASE64_EXPLANATION_BYTES]);

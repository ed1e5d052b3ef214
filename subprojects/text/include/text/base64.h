/* Base64 as callers send it (RFC 4648 sections 4 and 5). */
#pragma once

#include "text/str.h"

#include <stdint.h>

/* Bytes that text decodes to at most. */
static inline size_t base64_decoded_max(size_t text_length)
{
	return text_length / 4 * 3 + 3;
}

/* Characters that bytes encode to, with padding. */
static inline size_t base64_encoded_length(size_t size)
{
	return (size + 2) / 3 * 4;
}

/* Writes the standard alphabet with padding, base64_encoded_length() characters without a NUL. */
void base64_encode(const void *data, size_t size, char *ret_text);

/* Value of a digit of the standard alphabet; -1: it is none. */
int base64_value(char digit);

/* Decodes the standard or the URL-safe alphabet, never both in one text, with correct padding or
 * none. White space of ASCII is passed over wherever it stands: `base64 FILE` wraps its lines. Bits
 * behind the last byte must be zero.
 * ret_data: at least base64_decoded_max() bytes of text's length, or of base64_significant().
 * 0, or -EINVAL. */
__attribute__((warn_unused_result)) int base64_decode(struct str text, uint8_t *ret_data,
						      size_t *ret_size);

/* The text without the white space of ASCII that it begins with. */
struct str base64_skip_space(struct str text);

/* Characters that are no white space. */
size_t base64_significant(struct str text);

enum { BASE64_EXPLANATION_BYTES = 100 };

/* Why base64_decode() refused a text, and where: words that follow "the base64". Characters are
 * counted from 1, white space too. */
void base64_explain(struct str text, char ret_text[static BASE64_EXPLANATION_BYTES]);

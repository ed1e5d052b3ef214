/* Unicode text as bytes (RFC 3629) that come in pieces. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed between characters. */
struct wire_utf8 {
	uint8_t left; /* bytes that the character still needs */
	uint8_t low;  /* bounds of the next one of them */
	uint8_t high;
};

/* False as soon as the text cannot be well-formed any more. Text may end if left is 0. */
bool wire_utf8_add(struct wire_utf8 *utf8, const uint8_t *data, size_t size);

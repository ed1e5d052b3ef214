/* Hexadecimal. */
#pragma once

#include <text/str.h>

#include <stdint.h>

/* Writes lower-case digits and a NUL: ret_text holds 2 * size + 1 characters. */
void hex_encode(const void *data, size_t size, char *ret_text);

/* Reads digits of either case. Returns false, and leaves ret_data unchanged, unless text is exactly
 * 2 * size digits. */
bool hex_decode(struct str text, void *ret_data, size_t size);

/* Value of one digit, or -1. */
int hex_digit(char c);

/* Text that grows, mostly JSON. It lives outside of the engine's memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
	char *data;
	size_t length;
	size_t capacity;
	size_t most; /* longer it does not become; 0: as long as there is memory */
	bool failed; /* it was to become longer, or there was no memory */
};

/* Frees what it holds; it is empty afterwards. */
void text_finish(struct text *text);

void text_add(struct text *text, const char *data, size_t length);
void text_add_str(struct text *text, const char *string);
__attribute__((format(printf, 2, 3))) void text_add_format(struct text *text, const char *format,
							   ...);
/* Adds a string of JSON (RFC 8259 section 7), with quotes. Invalid UTF-8 becomes U+FFFD. */
void text_add_json(struct text *text, const char *data, size_t length);
/* Adds a string of base64 (RFC 4648 section 4), with quotes. */
void text_add_base64(struct text *text, const uint8_t *data, size_t length);
/* Takes back what was added behind length. */
void text_cut(struct text *text, size_t length);

/* A growing buffer, mostly for JSON. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <text/str.h>

struct bytes {
	char *data; /* NUL-terminated after the first addition */
	size_t length;
	size_t capacity;
	size_t most; /* largest length, beyond which adding fails; 0: no limit */
	bool failed; /* an addition has failed, for the limit or because there is no memory:
			nothing is added any more */
};

/* Frees the memory; the buffer is empty afterwards. */
void bytes_finish(struct bytes *bytes);
void bytes_add(struct bytes *bytes, const void *data, size_t length);
void bytes_add_text(struct bytes *bytes, const char *text);
/* Adds at most 511 bytes. */
__attribute__((format(printf, 2, 3))) void bytes_add_format(struct bytes *bytes, const char *format,
							    ...);
/* Adds a string of JSON (RFC 8259 section 7), with quotes. Invalid UTF-8 becomes U+FFFD. */
void bytes_add_json(struct bytes *bytes, const char *data, size_t length);
/* Adds text; each byte of invalid UTF-8 becomes U+FFFD. */
void bytes_add_valid(struct bytes *bytes, struct str text);
/* Adds the Base64 of data. */
void bytes_add_base64(struct bytes *bytes, const void *data, size_t length);

/* Reserves room for so many bytes behind the end, and returns it; the caller must increase
 * bytes->length. NULL: failed. */
char *bytes_reserve(struct bytes *bytes, size_t length);
/* Removes so many bytes from the beginning. */
void bytes_skip(struct bytes *bytes, size_t length);

/* Returns zeroed memory, which the caller frees with free(); NULL: there is none. */
void *memory_take(size_t size) __attribute__((malloc, warn_unused_result));

/* A growing buffer, mostly for JSON. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <text/str.h>

struct bytes {
	char *data; /* NUL-terminated after the first addition */
	size_t length;
	size_t capacity;
	/* Largest length; beyond it, and if there is no memory, adding fails. 0: no limit, and the
	 * process ends if there is no memory, so untrusted data must be limited by the caller
	 * before. */
	size_t most;
	bool failed; /* an addition has failed: nothing is added any more */
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

void *memory_take(size_t size) __attribute__((malloc, returns_nonnull));
char *memory_copy_text(const char *text) __attribute__((malloc, returns_nonnull));

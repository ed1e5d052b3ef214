/* Bytes that grow, mostly JSON. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <text/str.h>

struct bytes {
	char *data; /* has a NUL behind its end, once something was added */
	size_t length;
	size_t capacity;
	/* Longer it does not become, and a lack of memory is a failure. 0: as long as there is
	 * memory; without any the process ends, so what strangers choose has limits that are
	 * checked before. */
	size_t most;
	bool
	    failed; /* it was to become longer, or there was no memory: nothing is added any more */
};

/* Frees what it holds; it is empty afterwards. */
void bytes_finish(struct bytes *bytes);
void bytes_add(struct bytes *bytes, const void *data, size_t length);
void bytes_add_text(struct bytes *bytes, const char *text);
/* Adds at most 511 bytes. */
__attribute__((format(printf, 2, 3))) void bytes_add_format(struct bytes *bytes, const char *format,
							    ...);
/* Adds a string of JSON (RFC 8259 section 7), with quotes. Invalid UTF-8 becomes U+FFFD. */
void bytes_add_json(struct bytes *bytes, const char *data, size_t length);
/* Adds text; each byte that is no UTF-8 becomes U+FFFD. */
void bytes_add_valid(struct bytes *bytes, struct str text);
/* Adds the Base64 of data. */
void bytes_add_base64(struct bytes *bytes, const void *data, size_t length);

/* Room for so many bytes behind the end; bytes->length is the caller's to change. NULL: failed. */
char *bytes_reserve(struct bytes *bytes, size_t length);
/* Takes so many from the beginning. */
void bytes_skip(struct bytes *bytes, size_t length);

void *memory_take(size_t size) __attribute__((malloc, returns_nonnull));
char *memory_copy_text(const char *text) __attribute__((malloc, returns_nonnull));

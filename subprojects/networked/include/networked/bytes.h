/* Bytes that grow. There is no answer to a lack of memory but the process's end: what strangers
 * choose has limits that are checked before. */
#pragma once

#include <stddef.h>

struct bytes {
	char *data;
	size_t length;
	size_t capacity;
};

/* Frees what it holds; it is empty afterwards. */
void bytes_finish(struct bytes *bytes);
void bytes_add(struct bytes *bytes, const void *data, size_t length);
/* Room for so many bytes behind the end; bytes->length is the caller's to change. */
char *bytes_reserve(struct bytes *bytes, size_t length);
/* Takes so many from the beginning. */
void bytes_skip(struct bytes *bytes, size_t length);

void *memory_take(size_t size) __attribute__((malloc, returns_nonnull));
char *memory_copy_text(const char *text) __attribute__((malloc, returns_nonnull));

/* Bytes that grow at the end and are consumed at the front. Owns its memory (malloc). */
#pragma once

#include <text/str.h>

#include <stdarg.h>
#include <stdint.h>

struct buffer {
	char *data;	 /* start of the memory, NULL while nothing was reserved */
	size_t start;	 /* first byte not yet consumed */
	size_t end;	 /* index after the last byte */
	size_t capacity; /* bytes of memory */
};

/* A zeroed struct buffer is valid and empty. buffer_finish() frees the memory and leaves it empty.
 */
void buffer_finish(struct buffer *buffer);

static inline size_t buffer_length(const struct buffer *buffer)
{
	return buffer->end - buffer->start;
}

/* Returns the bytes in the buffer, valid until its next change. */
static inline struct str buffer_view(const struct buffer *buffer)
{
	return str_from_offset((struct str){.data = buffer->data, .length = buffer->end},
			       buffer->start);
}

/* Called by buffer_reserve() if room is missing: moves the bytes, or allocates more memory. */
char *buffer_grow(struct buffer *buffer, size_t size);

/* Makes room for size more bytes at the end, and returns their address. Write there, then call
 * buffer_commit(). */
static inline char *buffer_reserve(struct buffer *buffer, size_t size)
{
	if (buffer->capacity - buffer->end >= size && buffer->data)
		return buffer->data + buffer->end;
	return buffer_grow(buffer, size);
}

void buffer_commit(struct buffer *buffer, size_t size);

static inline void buffer_append(struct buffer *buffer, const void *data, size_t size)
{
	if (size == 0)
		return;
	memcpy(buffer_reserve(buffer, size), data, size);
	buffer->end += size;
}

static inline void buffer_append_str(struct buffer *buffer, struct str s)
{
	buffer_append(buffer, s.data, s.length);
}

static inline void buffer_append_char(struct buffer *buffer, char c)
{
	buffer_append(buffer, &c, 1);
}

__attribute__((format(printf, 2, 3))) void buffer_printf(struct buffer *buffer, const char *format,
							 ...);

/* Appends the bytes in Base64: the standard alphabet, with padding. */
void buffer_append_base64(struct buffer *buffer, struct str bytes);

/* Drops size bytes at the front. Keeps the memory. */
void buffer_consume(struct buffer *buffer, size_t size);
/* Drops all bytes. Keeps the memory. */
void buffer_clear(struct buffer *buffer);

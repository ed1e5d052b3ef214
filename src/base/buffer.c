#include "base/buffer.h"
#include "base/memory.h"
#include "base/require.h"

#include <stdio.h>
#include <stdlib.h>
#include <text/base64.h>

void buffer_finish(struct buffer *buffer)
{
	free(buffer->data);
	*buffer = (struct buffer){0};
}

char *buffer_grow(struct buffer *buffer, size_t size)
{
	size_t length = buffer_length(buffer);

	require(size <= SIZE_MAX / 4 && length <= SIZE_MAX / 4);
	/* A move copies length bytes, so it is done only after at least as many were consumed. */
	if (buffer->data && buffer->start && buffer->start >= length &&
	    buffer->capacity - length >= size) {
		memmove(buffer->data, buffer->data + buffer->start, length);
	} else {
		size_t capacity = buffer->capacity ? buffer->capacity * 2 : 256;
		char *data;

		while (capacity < length + size)
			capacity *= 2;
		data = memory_alloc(capacity);
		if (buffer->data)
			memcpy(data, buffer->data + buffer->start, length);
		free(buffer->data);
		buffer->data = data;
		buffer->capacity = capacity;
	}
	buffer->start = 0;
	buffer->end = length;
	return buffer->data + length;
}

void buffer_commit(struct buffer *buffer, size_t size)
{
	require(size <= buffer->capacity - buffer->end);
	buffer->end += size;
}

void buffer_printf(struct buffer *buffer, const char *format, ...)
{
	va_list args;
	int length;
	char *end;

	va_start(args, format);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	require(length >= 0);
	end = buffer_reserve(buffer, (size_t)length + 1);
	va_start(args, format);
	vsnprintf(end, (size_t)length + 1, format, args);
	va_end(args);
	buffer->end += (size_t)length;
}

void buffer_append_base64(struct buffer *buffer, struct str bytes)
{
	size_t size = base64_encoded_length(bytes.length);

	base64_encode(bytes.data, bytes.length, buffer_reserve(buffer, size));
	buffer_commit(buffer, size);
}

void buffer_consume(struct buffer *buffer, size_t size)
{
	require(size <= buffer_length(buffer));
	buffer->start += size;
	if (buffer->start == buffer->end)
		buffer->start = buffer->end = 0;
}

void buffer_clear(struct buffer *buffer)
{
	buffer->start = buffer->end = 0;
}

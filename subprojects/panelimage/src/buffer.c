#include "buffer.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 4096 };

void pi_buffer_init(struct buffer *buffer, size_t max)
{
	*buffer = (struct buffer){.max = max};
}

void pi_buffer_finish(struct buffer *buffer)
{
	free(buffer->data);
	*buffer = (struct buffer){0};
}

static bool reserve(struct buffer *buffer, size_t wanted)
{
	size_t capacity = buffer->capacity > 0 ? buffer->capacity : FIRST_CAPACITY;
	uint8_t *data;

	while (capacity < wanted)
		capacity *= 2;
	data = realloc(buffer->data, capacity);
	if (!data) {
		buffer->out_of_memory = true;
		return false;
	}
	buffer->data = data;
	buffer->capacity = capacity;
	return true;
}

uint8_t *pi_buffer_extend(struct buffer *buffer, size_t size)
{
	uint8_t *end;

	if (size > buffer->max - buffer->size) {
		buffer->full = true;
		return NULL;
	}
	if (buffer->size + size > buffer->capacity && !reserve(buffer, buffer->size + size))
		return NULL;
	end = buffer->data + buffer->size;
	buffer->size += size;
	return end;
}

bool pi_buffer_append(struct buffer *buffer, const uint8_t *data, size_t size)
{
	uint8_t *end = pi_buffer_extend(buffer, size);

	if (!end)
		return false;
	if (size > 0)
		memcpy(end, data, size);
	return true;
}

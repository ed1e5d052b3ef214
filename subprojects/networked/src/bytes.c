#include "networked/bytes.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST = 256 };

void *memory_take(size_t size)
{
	void *taken = calloc(1, size);

	if (!taken)
		abort();
	return taken;
}

char *memory_copy_text(const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		abort();
	return copy;
}

void bytes_finish(struct bytes *bytes)
{
	free(bytes->data);
	*bytes = (struct bytes){0};
}

char *bytes_reserve(struct bytes *bytes, size_t length)
{
	size_t wanted = bytes->length + length;

	if (wanted > bytes->capacity || !bytes->data) {
		size_t capacity = bytes->capacity + bytes->capacity / 2;
		char *data;

		if (capacity < wanted)
			capacity = wanted;
		if (capacity < LEAST)
			capacity = LEAST;
		data = realloc(bytes->data, capacity);
		if (!data)
			abort();
		bytes->data = data;
		bytes->capacity = capacity;
	}
	return bytes->data + bytes->length;
}

void bytes_add(struct bytes *bytes, const void *data, size_t length)
{
	if (length == 0)
		return;
	memcpy(bytes_reserve(bytes, length), data, length);
	bytes->length += length;
}

void bytes_skip(struct bytes *bytes, size_t length)
{
	bytes->length -= length;
	if (bytes->length == 0)
		bytes_finish(bytes);
	else
		memmove(bytes->data, bytes->data + length, bytes->length);
}

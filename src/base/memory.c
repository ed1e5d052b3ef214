#include "base/memory.h"
#include "base/require.h"

#include <stdlib.h>
#include <string.h>

void *memory_alloc(size_t size)
{
	void *memory = malloc(size ? size : 1);

	if (!memory)
		require_memory_failed(size);
	return memory;
}

void *memory_zalloc(size_t size)
{
	void *memory = calloc(1, size ? size : 1);

	if (!memory)
		require_memory_failed(size);
	return memory;
}

void *memory_realloc(void *old, size_t size)
{
	void *memory = realloc(old, size ? size : 1);

	if (!memory)
		require_memory_failed(size);
	return memory;
}

char *memory_strdup(const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(memory_alloc(size), text, size);
}

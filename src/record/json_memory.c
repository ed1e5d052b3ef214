#include "record/json_memory.h"
#include "base/memory.h"

#include <stdlib.h>

static void *own_alloc(void *context, size_t size)
{
	(void)context;
	return memory_alloc(size);
}

static void *own_realloc(void *context, void *old, size_t old_size, size_t size)
{
	(void)context;
	(void)old_size;
	return memory_realloc(old, size);
}

static void own_free(void *context, void *memory)
{
	(void)context;
	free(memory);
}

const yyjson_alc json_memory = {own_alloc, own_realloc, own_free, NULL};

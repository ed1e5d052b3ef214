/* Allocates memory; ends the process if there is none. */
#pragma once

#include <stdlib.h>

static inline void *memory_check(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

/* Returns zeroed memory, for size 0, too. */
static inline void *memory_zalloc(size_t size)
{
	return memory_check(calloc(1, size ? size : 1));
}

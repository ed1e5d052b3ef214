/* Memory, the lack of which ends the process. */
#pragma once

#include <stdlib.h>

static inline void *memory_check(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

/* Zeroed; for size 0, too. */
static inline void *memory_zalloc(size_t size)
{
	return memory_check(calloc(1, size ? size : 1));
}

/* Allocation (malloc) for sizes that no client chose. Never returns NULL: out of memory ends the
 * process. */
#pragma once

#include <stddef.h>

__attribute__((malloc, warn_unused_result)) void *memory_alloc(size_t size);
/* All bytes zero. */
__attribute__((malloc, warn_unused_result)) void *memory_zalloc(size_t size);
__attribute__((warn_unused_result)) void *memory_realloc(void *old, size_t size);
__attribute__((malloc, warn_unused_result)) char *memory_strdup(const char *text);

/* The structure that holds a member at this address. */
#define container_of(pointer, type, member)                                                        \
	((type *)(void *)((char *)(pointer)-offsetof(type, member)))

#define array_length(array) (sizeof(array) / sizeof((array)[0]))

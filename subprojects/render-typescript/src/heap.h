/* The engine's memory: malloc() with a limit, and the highest usage. */
#pragma once

#include <quickjs.h>
#include <stdbool.h>
#include <stddef.h>

struct heap_block;

struct heap {
	struct heap_block *blocks; /* list of all blocks */
	size_t limit;
	size_t used;
	size_t most;
	bool was_full; /* an allocation was refused */
};

/* Functions for JS_NewRuntime2(), with a struct heap. */
extern const JSMallocFunctions heap_functions;

/* Frees all blocks at once, and so ends a runtime without JS_FreeRuntime(): that walks all objects
 * of the script, and QuickJS-ng 0.16.2 uses a module after it was freed if the script waits for an
 * import of itself. */
void heap_finish(struct heap *heap);

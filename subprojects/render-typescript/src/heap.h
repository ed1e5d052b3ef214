/* The engine's memory: malloc with a limit, and what it took at most. */
#pragma once

#include <quickjs.h>
#include <stdbool.h>
#include <stddef.h>

struct heap {
	size_t limit;
	size_t used;
	size_t most;
	bool was_full; /* something was refused */
};

/* For JS_NewRuntime2() with a struct heap. */
extern const JSMallocFunctions heap_functions;

/* Places in a compiled script back to those in its source. The map is the one that esbuild appends:
 * a comment with base64 of JSON, version 3 (https://tc39.es/ecma426/). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The comment that the script ends with. */
#define SOURCE_MAP_COMMENT "//# sourceMappingURL=data:application/json;base64,"

/* Lines and columns count from 1. False where the script has no map, or it does not tell. */
bool source_map_find(const char *script, size_t length, unsigned line, unsigned column,
		     unsigned *ret_line, unsigned *ret_column);

/* Places in a compiled script back to those in its source. The map is the one that esbuild appends:
 * a comment with base64 of JSON, version 3 (https://tc39.es/ecma426/). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The comment that the script ends with. */
#define SOURCE_MAP_COMMENT "//# sourceMappingURL=data:application/json;base64,"

/* Lines and columns count from 1; those of the script in bytes, those of the source as editors
 * count. False where the script has no map, or it does not tell. */
bool source_map_find(const char *script, size_t length, unsigned line, unsigned column,
		     unsigned *ret_line, unsigned *ret_column);

/* The same for many source locations, which come in their order in the script. NULL if the script
 * has no map; source_map_close() it. */
struct source_map *source_map_open(const char *script, size_t length);
bool source_map_go(struct source_map *map, const char *at, unsigned *ret_line,
		   unsigned *ret_column);
void source_map_close(struct source_map *map);

/* The source location in the script, or its end. */
const char *source_map_seek(const char *script, size_t length, unsigned line, unsigned column);

/* Maps locations in a compiled script to those in its source. The map is the one that esbuild
 * appends: a comment with base64 of JSON, version 3 (https://tc39.es/ecma426/). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The comment at the end of the script. */
#define SOURCE_MAP_COMMENT "//# sourceMappingURL=data:application/json;base64,"

/* Maps one location. Lines and columns count from 1; those of the script in bytes, those of the
 * source as editors count. Returns false if the script has no map, or the map does not have the
 * location. */
bool source_map_find(const char *script, size_t length, unsigned line, unsigned column,
		     unsigned *ret_line, unsigned *ret_column);

/* Opens the map to map many locations, in their order in the script. The caller must call
 * source_map_close(). Returns NULL if the script has no map. */
struct source_map *source_map_open(const char *script, size_t length);
bool source_map_go(struct source_map *map, const char *at, unsigned *ret_line,
		   unsigned *ret_column);
void source_map_close(struct source_map *map);

/* Returns the position of the line and column in the script, or its end. */
const char *source_map_seek(const char *script, size_t length, unsigned line, unsigned column);

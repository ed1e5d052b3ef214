/* Allocator for yyjson that never fails: if memory is missing the process ends in order, as with
 * memory_alloc(). For bounded texts of displayd's own processes: a lack of memory must not look
 * like an invalid text. */
#pragma once

#include <yyjson.h>

extern const yyjson_alc json_memory; /* its memory may be freed by free() */

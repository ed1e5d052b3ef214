/* Memory for yyjson that is never lacking: without it the process ends, in order, as memory_alloc()
 * has it. For texts of our own and of our own processes, which are bounded: to lack memory says
 * nothing about them, so it may not be taken for a text that is wrong. */
#pragma once

#include <yyjson.h>

extern const yyjson_alc json_memory; /* what it gives is freed by free() */

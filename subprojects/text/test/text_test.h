/* cmocka with what it needs before it, and helpers of these tests. */
#pragma once

#include <stdlib.h>

#include "../../../test/unit/cmocka_test.h"

#define array_length(array) (sizeof(array) / sizeof((array)[0]))

/* Memory of exactly this size, so that sanitizers and valgrind see a byte too far. */
static inline void *take(size_t size)
{
	/* Size 0 is allowed, too. NOLINTNEXTLINE(clang-analyzer-optin.portability.UnixAPI) */
	void *memory = malloc(size);

	if (!memory)
		abort();
	return memory;
}

#include "base/clock.h"

#include <stdatomic.h>

static _Atomic int64_t clock_ahead_us;

void clock_note_ahead(int64_t ahead_us)
{
	atomic_store_explicit(&clock_ahead_us, ahead_us, memory_order_relaxed);
}

int64_t clock_common_us(void)
{
	return clock_wall_us() - atomic_load_explicit(&clock_ahead_us, memory_order_relaxed);
}

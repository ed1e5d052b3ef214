#include "watch_table.h"
#include "delivery/watch_region.h"

#include <stdatomic.h>

enum { ENTRIES = 1 << 16 };

struct watch_table {
	_Atomic uint32_t until_s[ENTRIES]; /* 256 KiB */
};

const struct region watch_region = {
    .name = "watches",
    .version = 1,
    .size = sizeof(struct watch_table),
};

void watch_table_note(struct watch_table *table, struct id device_id, uint64_t until_ms)
{
	/* If two workers write, either time does. */
	atomic_store_explicit(&table->until_s[id_slot(device_id, ENTRIES)],
			      (uint32_t)(until_ms / 1000) + 1, memory_order_relaxed);
}

bool watch_table_has(const struct watch_table *table, struct id device_id, uint64_t now_ms)
{
	return atomic_load_explicit(&table->until_s[id_slot(device_id, ENTRIES)],
				    memory_order_relaxed) > now_ms / 1000;
}

#include "watch_table.h"
#include "delivery/watch_region.h"

#include <stdatomic.h>
#include <string.h>

struct watch_table {
	_Atomic uint32_t until_s[1 << 16]; /* 256 KiB */
};

const struct region watch_region = {
    .name = "watches",
    .version = 1,
    .size = sizeof(struct watch_table),
};

/* IDs are the server's own: nobody can choose two that share an entry. */
static unsigned entry_of(struct id device_id)
{
	uint64_t halves[2];

	memcpy(halves, device_id.bytes, sizeof(halves));
	return (unsigned)((halves[0] ^ halves[1]) * UINT64_C(0x9e3779b97f4a7c15) >> 48);
}

void watch_table_note(struct watch_table *table, struct id device_id, uint64_t until_ms)
{
	/* If two workers write, either time does. */
	atomic_store_explicit(&table->until_s[entry_of(device_id)], (uint32_t)(until_ms / 1000) + 1,
			      memory_order_relaxed);
}

bool watch_table_has(const struct watch_table *table, struct id device_id, uint64_t now_ms)
{
	return atomic_load_explicit(&table->until_s[entry_of(device_id)], memory_order_relaxed) >
	       now_ms / 1000;
}

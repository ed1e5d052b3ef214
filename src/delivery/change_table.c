#include "delivery/change_table.h"

#include <sodium.h>
#include <stdatomic.h>

enum { COUNTERS = 1 << 17 /* 1 MiB */ };

struct change_counter {
	_Atomic uint64_t count;
};

struct change_table {
	uint8_t secret[crypto_shorthash_KEYBYTES];
	struct change_counter counters[COUNTERS];
};

static void init(void *common)
{
	struct change_table *table = common;

	crypto_shorthash_keygen(table->secret);
}

const struct region change_region = {
    .name = "changes",
    .version = 1,
    .size = sizeof(struct change_table),
    .init = init,
};

struct change_counter *change_counter_of(struct change_table *table, struct id device_id)
{
	uint64_t hash;

	crypto_shorthash((uint8_t *)&hash, device_id.bytes, ID_BYTES, table->secret);
	return &table->counters[hash % COUNTERS];
}

uint64_t change_count(const struct change_counter *counter)
{
	return atomic_load(&counter->count);
}

uint64_t change_note(struct change_counter *counter)
{
	return atomic_fetch_add(&counter->count, 1);
}

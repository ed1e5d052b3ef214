#include "main/heartbeat.h"

enum { BEAT_MS = 500 };

const struct region heartbeat_region = {
    .name = "heartbeat",
    .version = 1,
    .slot_size = sizeof(_Atomic uint32_t),
};

static void beat(struct deadline *deadline)
{
	struct heartbeat *heartbeat = container_of(deadline, struct heartbeat, next);

	atomic_fetch_add_explicit(heartbeat->slot, 1, memory_order_relaxed);
	deadline_set(heartbeat->loop, deadline, BEAT_MS);
}

void heartbeat_start(struct heartbeat *heartbeat, struct loop *loop, struct region_map *shared,
		     unsigned worker)
{
	heartbeat->loop = loop;
	heartbeat->slot = region_slot(shared, &heartbeat_region, worker);
	deadline_init(&heartbeat->next, beat);
	deadline_set(loop, &heartbeat->next, 0);
}

uint32_t heartbeat_read(struct region_map *shared, unsigned worker)
{
	_Atomic uint32_t *slot = region_slot(shared, &heartbeat_region, worker);

	return atomic_load_explicit(slot, memory_order_relaxed);
}

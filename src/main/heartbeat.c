#include "main/heartbeat.h"

#include <unistd.h>

enum { BEAT_MS = 500 };

struct heartbeat_slot {
	_Atomic uint32_t beat;
	_Atomic int32_t serving_pid; /* 0: none has served yet */
};

struct heartbeat_common {
	_Atomic bool is_ready; /* all workers have served at the same time once */
};

const struct region heartbeat_region = {
    .name = "heartbeat",
    .version = 3,
    .size = sizeof(struct heartbeat_common),
    .slot_size = sizeof(struct heartbeat_slot),
};

static void beat(struct deadline *deadline)
{
	struct heartbeat *heartbeat = container_of(deadline, struct heartbeat, next);

	atomic_fetch_add_explicit(&heartbeat->slot->beat, 1, memory_order_relaxed);
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

void heartbeat_note_serving(struct heartbeat *heartbeat)
{
	atomic_store(&heartbeat->slot->serving_pid, getpid());
}

const _Atomic bool *heartbeat_instance_is_ready(struct region_map *shared)
{
	const struct heartbeat_common *common = region_common(shared, &heartbeat_region);

	return &common->is_ready;
}

void heartbeat_note_instance_ready(struct region_map *shared)
{
	struct heartbeat_common *common = region_common(shared, &heartbeat_region);

	atomic_store(&common->is_ready, true);
}

uint32_t heartbeat_read(struct region_map *shared, unsigned worker)
{
	const struct heartbeat_slot *slot = region_slot(shared, &heartbeat_region, worker);

	return atomic_load_explicit(&slot->beat, memory_order_relaxed);
}

bool heartbeat_is_serving(struct region_map *shared, unsigned worker, pid_t pid)
{
	const struct heartbeat_slot *slot = region_slot(shared, &heartbeat_region, worker);

	return atomic_load(&slot->serving_pid) == pid;
}

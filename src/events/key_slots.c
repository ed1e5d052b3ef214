#include "key_slots.h"
#include "base/clock.h"
#include "base/limits.h"
#include "events/events.h"

#include <stdatomic.h>
#include <string.h>

/* A live worker calls key_slots_show() each second. One that has not done so for this long has
 * died. */
enum { GONE_MS = 5 * 1000 };

struct key_slot {
	_Atomic uint64_t seen_ms;
	_Atomic uint64_t tags[LIMIT_EVENT_STREAMS]; /* 0: free */
};

const struct region event_region = {
    .name = "events",
    .version = 1,
    .slot_size = sizeof(struct key_slot),
};

/* The first bytes of the hash. */
static uint64_t tag_of(const uint8_t *key_hash)
{
	uint64_t tag;

	memcpy(&tag, key_hash, sizeof(tag));
	return tag ? tag : 1;
}

void key_slots_init(struct key_slots *slots, struct region_map *shared, unsigned worker,
		    unsigned workers)
{
	slots->shared = shared;
	slots->own = region_slot(shared, &event_region, worker);
	slots->workers = workers;
	for (unsigned i = 0; i < LIMIT_EVENT_STREAMS; i++)
		atomic_store(&slots->own->tags[i], 0);
}

void key_slots_show(struct key_slots *slots)
{
	atomic_store(&slots->own->seen_ms, clock_monotonic_ms());
}

static unsigned count_in(const struct key_slot *slot, uint64_t tag)
{
	unsigned count = 0;

	for (unsigned i = 0; i < LIMIT_EVENT_STREAMS; i++)
		count += atomic_load_explicit(&slot->tags[i], memory_order_relaxed) == tag;
	return count;
}

unsigned key_slots_count(const struct key_slots *slots,
			 const uint8_t key_hash[static KEY_HASH_BYTES])
{
	uint64_t tag = tag_of(key_hash);
	uint64_t now_ms = clock_monotonic_ms();
	unsigned count = 0;

	for (unsigned i = 0; i < slots->workers; i++) {
		const struct key_slot *slot = region_slot(slots->shared, &event_region, i);
		uint64_t seen_ms = atomic_load(&slot->seen_ms);

		if (seen_ms + GONE_MS > now_ms)
			count += count_in(slot, tag);
	}
	return count;
}

int key_slots_take(struct key_slots *slots, const uint8_t key_hash[static KEY_HASH_BYTES])
{
	uint64_t tag = tag_of(key_hash);
	unsigned slot = 0;

	while (slot < LIMIT_EVENT_STREAMS && atomic_load(&slots->own->tags[slot]))
		slot++;
	if (slot == LIMIT_EVENT_STREAMS)
		return KEY_SLOT_NONE;
	key_slots_show(slots);
	/* Take first, then count: so of two workers at least one sees the other's tag. */
	atomic_store(&slots->own->tags[slot], tag);
	if (key_slots_count(slots, key_hash) <= LIMIT_EVENT_STREAMS_OF_KEY)
		return (int)slot;
	atomic_store(&slots->own->tags[slot], 0);
	return KEY_SLOT_NONE;
}

void key_slots_give_back(struct key_slots *slots, int slot)
{
	atomic_store(&slots->own->tags[slot], 0);
}

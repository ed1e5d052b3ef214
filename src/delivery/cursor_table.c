#include "delivery/cursor_table.h"

#include <sodium.h>
#include <stdatomic.h>

/* Every field is an atomic of its own: where a device polls twice at the same time, its cursor may
 * be a mixture of both polls, and it shows one picture twice or skips one. A device whose slot is
 * taken by another device starts its rotation anew. */

enum {
	SLOTS = 1 << 15, /* 1.75 MiB */
	NEIGHBOURHOOD = 4,
	REMAINS_OF_PUSH = 1 << 30, /* flag in remaining */
};

struct slot {
	_Atomic uint64_t tag; /* hash of the device's ID; 0: free */
	_Atomic int64_t position;
	_Atomic int64_t push_seen;
	_Atomic int64_t remaining; /* seconds, and the flag */
	_Atomic int64_t shown_generation;
	_Atomic int64_t shown_us; /* wall clock, of the push of that generation */
	_Atomic uint64_t used;	  /* grows with every use: the smallest one makes room */
};

struct cursor_table {
	uint8_t secret[crypto_shorthash_KEYBYTES];
	_Atomic uint64_t clock;
	struct slot slots[SLOTS];
};

static void init(void *common)
{
	struct cursor_table *table = common;

	crypto_shorthash_keygen(table->secret);
}

const struct region cursor_region = {
    .name = "cursors",
    .version = 1,
    .size = sizeof(struct cursor_table),
    .init = init,
};

static uint64_t tag_of(const struct cursor_table *table, struct id id)
{
	uint64_t tag;

	crypto_shorthash((uint8_t *)&tag, id.bytes, ID_BYTES, table->secret);
	return tag ? tag : 1;
}

static struct slot *find(const struct cursor_table *table, uint64_t tag)
{
	for (unsigned i = 0; i < NEIGHBOURHOOD; i++) {
		const struct slot *slot = &table->slots[(tag + i) % SLOTS];

		if (atomic_load_explicit(&slot->tag, memory_order_acquire) == tag)
			return (struct slot *)slot;
	}
	return NULL;
}

static struct slot *take_oldest(struct cursor_table *table, uint64_t tag)
{
	struct slot *oldest = &table->slots[tag % SLOTS];

	for (unsigned i = 1; i < NEIGHBOURHOOD; i++) {
		struct slot *slot = &table->slots[(tag + i) % SLOTS];

		if (slot->used < oldest->used)
			oldest = slot;
	}
	return oldest;
}

struct poll_cursor cursor_get(const struct cursor_table *table, struct id device_id)
{
	const struct slot *slot = find(table, tag_of(table, device_id));
	int64_t remaining;

	if (!slot)
		return (struct poll_cursor){.position = -1};
	remaining = slot->remaining;
	return (struct poll_cursor){
	    .position = slot->position,
	    .push_seen = slot->push_seen,
	    .remaining_s = remaining & ~REMAINS_OF_PUSH,
	    .remains_of_push = (remaining & REMAINS_OF_PUSH) != 0,
	};
}

/* The device's slot. Where it has none, the slot used longest ago in its neighbourhood is emptied
 * for it. */
static struct slot *claim(struct cursor_table *table, struct id device_id)
{
	uint64_t tag = tag_of(table, device_id);
	struct slot *slot = find(table, tag);

	if (!slot) {
		slot = take_oldest(table, tag);
		slot->position = -1;
		slot->push_seen = slot->remaining = slot->shown_generation = slot->shown_us = 0;
		atomic_store_explicit(&slot->tag, tag, memory_order_release);
	}
	slot->used = atomic_fetch_add(&table->clock, 1) + 1;
	return slot;
}

void cursor_move(struct cursor_table *table, struct id device_id, int64_t position)
{
	struct slot *slot = claim(table, device_id);

	slot->position = position;
	slot->remaining = 0;
}

void cursor_set_shown(struct cursor_table *table, struct id device_id, int64_t generation,
		      int64_t wall_us)
{
	struct slot *slot = claim(table, device_id);

	slot->shown_us = wall_us;
	slot->shown_generation = generation;
}

int64_t cursor_shown_us(const struct cursor_table *table, struct id device_id, int64_t generation)
{
	const struct slot *slot = find(table, tag_of(table, device_id));

	return slot && slot->shown_generation == generation ? slot->shown_us : 0;
}

void cursor_set(struct cursor_table *table, struct id device_id, const struct poll_cursor *cursor)
{
	struct slot *slot = claim(table, device_id);

	slot->position = cursor->position;
	slot->push_seen = cursor->push_seen;
	slot->remaining = cursor->remaining_s | (cursor->remains_of_push ? REMAINS_OF_PUSH : 0);
}

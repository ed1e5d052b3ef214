/* The open streams of each API key in all workers of the instance: in shared memory each worker has
 * a slot with the tags of its streams' keys. Nobody but the worker writes to it; the tags of a
 * worker that has not shown itself for a while do not count. */
#pragma once

#include "base/region.h"
#include "domain/key.h"

#include <stdint.h>

enum { KEY_SLOT_NONE = -1 };

struct key_slot;

struct key_slots {
	struct region_map *shared;
	struct key_slot *own;
	unsigned workers; /* that may be at a time */
};

/* Clears what a former worker left in the slot. worker: from 0. */
void key_slots_init(struct key_slots *slots, struct region_map *shared, unsigned worker,
		    unsigned workers);
/* Shows that this worker is there: to be called once a second or oftener while it has streams. */
void key_slots_show(struct key_slots *slots);
/* Takes a place for a stream of the key, to be given back; KEY_SLOT_NONE: the key has
 * LIMIT_EVENT_STREAMS_OF_KEY of them, or this worker has LIMIT_EVENT_STREAMS. */
int key_slots_take(struct key_slots *slots, const uint8_t key_hash[static KEY_HASH_BYTES]);
/* Number of places that the key has. */
unsigned key_slots_count(const struct key_slots *slots,
			 const uint8_t key_hash[static KEY_HASH_BYTES]);
void key_slots_give_back(struct key_slots *slots, int place);

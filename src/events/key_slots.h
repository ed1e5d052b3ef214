/* Counts the open streams of each API key in all workers of the instance: in shared memory each
 * worker has a slot with the tags of its streams' keys. Only the worker writes to it; the tags of a
 * worker that has not called key_slots_show() for a while do not count. */
#pragma once

#include "base/region.h"
#include "domain/key.h"

#include <stdint.h>

enum { KEY_SLOT_NONE = -1 };

struct key_slot;

struct key_slots {
	struct region_map *shared;
	struct key_slot *own;
	unsigned workers; /* maximum of workers at a time */
};

/* Clears the slot of a former worker. worker: from 0. */
void key_slots_init(struct key_slots *slots, struct region_map *shared, unsigned worker,
		    unsigned workers);
/* Shows that this worker is alive: call it at least once a second while it has streams. */
void key_slots_show(struct key_slots *slots);
/* Takes a slot for a stream of the key, which must be given back. Returns KEY_SLOT_NONE if the key
 * has LIMIT_EVENT_STREAMS_OF_KEY streams, or this worker LIMIT_EVENT_STREAMS. */
int key_slots_take(struct key_slots *slots, const uint8_t key_hash[static KEY_HASH_BYTES]);
/* Number of streams of the key. */
unsigned key_slots_count(const struct key_slots *slots,
			 const uint8_t key_hash[static KEY_HASH_BYTES]);
void key_slots_give_back(struct key_slots *slots, int slot);

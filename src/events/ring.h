/* Events of an account of the last minutes, for clients that return with Last-Event-ID. Events have
 * consecutive numbers. Readers keep the number of their next event: if that was dropped, they have
 * missed some. Pure. */
#pragma once

#include "events/events.h"

#include <stddef.h>

struct ring_event {
	uint64_t at_ms;
	uint8_t id[EVENT_ID_BYTES];
	struct id device_id;
	const char *name; /* static */
	size_t length;
	char data[]; /* JSON */
};

/* A zeroed ring is empty. */
struct ring {
	struct ring_event **events; /* circular, from start on */
	size_t capacity;	    /* a power of two, or 0 */
	size_t start;
	size_t count;
	uint64_t first; /* number of the first event */
	size_t bytes;
};

void ring_finish(struct ring *ring);
/* Number of the next event. */
static inline uint64_t ring_next(const struct ring *ring)
{
	return ring->first + ring->count;
}

/* Appends an event. Returns false if an event with this ID is among the newest: the hint came
 * twice. */
bool ring_append(struct ring *ring, uint64_t now_ms, const uint8_t id[static EVENT_ID_BYTES],
		 struct id device_id, const char *name, struct str data);
/* Drops the first event; there must be one. */
void ring_drop_first(struct ring *ring);
/* Drops events from before that time. */
void ring_expire(struct ring *ring, uint64_t before_ms);
/* Notes missed events: even readers that are up to date have missed some. */
void ring_lose(struct ring *ring);
/* Returns the event with this number; NULL: it was dropped, or does not exist yet. */
const struct ring_event *ring_at(const struct ring *ring, uint64_t number);
/* Finds the number of the event with this ID. Returns false if there is none. */
bool ring_find(const struct ring *ring, const uint8_t id[static EVENT_ID_BYTES],
	       uint64_t *ret_number);

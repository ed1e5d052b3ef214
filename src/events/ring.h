/* The events of an account of the last minutes, for clients that come back with Last-Event-ID.
 * Events have numbers without gaps. Readers keep the number of the next one: where it is no longer
 * there, they have missed some. Pure. */
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

/* A zeroed one is empty. */
struct ring {
	struct ring_event **events; /* from start on, in a circle */
	size_t capacity;	    /* a power of two, or 0 */
	size_t start;
	size_t count;
	uint64_t first; /* number of the first one that is there */
	size_t bytes;
};

void ring_finish(struct ring *ring);
/* Number of the next event. */
static inline uint64_t ring_next(const struct ring *ring)
{
	return ring->first + ring->count;
}

/* False: an event with this ID is among the newest; the hint came twice. */
bool ring_append(struct ring *ring, uint64_t now_ms, const uint8_t id[static EVENT_ID_BYTES],
		 struct id device_id, const char *name, struct str data);
/* There is at least one. */
void ring_drop_first(struct ring *ring);
/* Drops those of before that time. */
void ring_expire(struct ring *ring, uint64_t before_ms);
/* Events were missed: readers that are up to date have missed some, too. */
void ring_lose(struct ring *ring);
/* Event of this number; NULL: it is no longer there, or is still to come. */
const struct ring_event *ring_at(const struct ring *ring, uint64_t number);
/* Number of the event with this ID. False: it is not there. */
bool ring_find(const struct ring *ring, const uint8_t id[static EVENT_ID_BYTES],
	       uint64_t *ret_number);

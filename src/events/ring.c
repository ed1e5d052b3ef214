#include "ring.h"
#include "base/memory.h"

#include <stdlib.h>

/* Number of newest events that are searched for a repeated one. */
enum { TWICE_WITHIN = 64, CAPACITY_MIN = 16 };

static struct ring_event **slot(const struct ring *ring, size_t index)
{
	return &ring->events[(ring->start + index) & (ring->capacity - 1)];
}

static size_t size_of(const struct ring_event *event)
{
	return sizeof(*event) + sizeof(event) + event->length;
}

void ring_finish(struct ring *ring)
{
	while (ring->count)
		ring_drop_first(ring);
	free(ring->events);
	*ring = (struct ring){0};
}

static void grow(struct ring *ring)
{
	size_t capacity = ring->capacity ? 2 * ring->capacity : CAPACITY_MIN;
	struct ring_event **events = memory_zalloc(capacity * sizeof(struct ring_event *));

	for (size_t i = 0; i < ring->count; i++)
		events[i] = *slot(ring, i);
	free(ring->events);
	ring->events = events;
	ring->capacity = capacity;
	ring->start = 0;
}

static bool is_known(const struct ring *ring, const uint8_t *id)
{
	size_t from = ring->count > TWICE_WITHIN ? ring->count - TWICE_WITHIN : 0;

	for (size_t i = from; i < ring->count; i++) {
		if (memcmp((*slot(ring, i))->id, id, EVENT_ID_BYTES) == 0)
			return true;
	}
	return false;
}

bool ring_append(struct ring *ring, uint64_t now_ms, const uint8_t id[static EVENT_ID_BYTES],
		 struct id device_id, const char *name, struct str data)
{
	struct ring_event *event;

	if (is_known(ring, id))
		return false;
	if (ring->count == ring->capacity)
		grow(ring);
	event = memory_zalloc(sizeof(*event) + data.length);
	event->at_ms = now_ms;
	memcpy(event->id, id, EVENT_ID_BYTES);
	event->device_id = device_id;
	event->name = name;
	event->length = data.length;
	memcpy(event->data, data.data, data.length);
	*slot(ring, ring->count++) = event;
	ring->bytes += size_of(event);
	return true;
}

void ring_drop_first(struct ring *ring)
{
	struct ring_event *event = *slot(ring, 0);

	ring->bytes -= size_of(event);
	free(event);
	ring->start = (ring->start + 1) & (ring->capacity - 1);
	ring->count--;
	ring->first++;
}

void ring_expire(struct ring *ring, uint64_t before_ms)
{
	while (ring->count && (*slot(ring, 0))->at_ms < before_ms)
		ring_drop_first(ring);
}

void ring_lose(struct ring *ring)
{
	while (ring->count)
		ring_drop_first(ring);
	ring->first++;
}

const struct ring_event *ring_at(const struct ring *ring, uint64_t number)
{
	if (number < ring->first || number >= ring_next(ring))
		return NULL;
	return *slot(ring, number - ring->first);
}

bool ring_find(const struct ring *ring, const uint8_t id[static EVENT_ID_BYTES],
	       uint64_t *ret_number)
{
	for (size_t i = ring->count; i-- > 0;) {
		if (memcmp((*slot(ring, i))->id, id, EVENT_ID_BYTES) == 0) {
			*ret_number = ring->first + i;
			return true;
		}
	}
	return false;
}

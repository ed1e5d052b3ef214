/* Slots of the cursor table. A reader always gets a state that one worker has written completely,
 * and never waits. */
#pragma once

#include "delivery/cursor_table.h"

enum {
	CURSOR_LINKED = 1 << 15,	      /* flag of a state's worker */
	CURSOR_ELSEWHERE = CURSOR_LINKED - 1, /* a state's worker: one of another instance */
};

struct rotation_state {
	uint64_t tag; /* hash of the device's ID; 0: free */
	int64_t position;
	int64_t push_seen;
	int32_t remaining_s;
	uint16_t worker; /* worker that was polled, from 1; with CURSOR_LINKED: that has its
			    WebSocket; CURSOR_ELSEWHERE: polled at another instance; 0: none */
	uint16_t remains_of_push;
	int64_t contact_us; /* wall clock: of the last poll, or the end of the last WebSocket */
	int64_t turns_seen; /* -1: not known */
	int64_t shown_generation;
	int64_t shown_us;      /* wall clock: when the push of that generation was shown */
	uint32_t number;       /* of the last poll, see struct cursor_travel */
	uint32_t dwell_s;      /* dwell time that it was given */
	uint64_t contact_ms;   /* time of the loop: when this instance learned of it; 0: never */
	uint64_t told_ms;      /* when other instances were last told; 0: never */
	uint64_t elsewhere_ms; /* when another instance last told; 0: never */
	uint64_t elsewhere_number; /* number of that poll */
};

struct slot;

/* Number of this worker in a state. */
uint16_t cursors_own_number(const struct cursors *cursors);

/* Returns false if the table does not have the device. */
bool cursor_find(const struct cursors *cursors, struct id device_id,
		 struct rotation_state *ret_state);
/* Returns the device's slot, locked, and its state: call cursor_end_change() next. If the device
 * has none, empties the least recently used slot of its neighbourhood. Returns NULL if another
 * worker is writing there. */
struct slot *cursor_begin_change(const struct cursors *cursors, struct id device_id,
				 struct rotation_state *ret_state);
/* Writes the state and releases the lock. */
void cursor_end_change(struct slot *slot, const struct rotation_state *state);
/* Returns whether the device has a slot, or may get one without taking one from a device that is
 * here. Makes that slot the least recently used one. */
bool cursor_has_room(const struct cursors *cursors, struct id device_id);

/* The render key of each device in its rotation, and the push that it has shown, in memory that the
 * workers of an instance share: a panel makes a connection of its own for each poll, and any worker
 * may accept it; likewise when a panel connects again.
 *
 * What a reader gets was written by one worker as a whole. Where two write to one device at a time,
 * one of them may be ignored. */
#pragma once

#include "base/id.h"
#include "base/region.h"
#include "domain/poll.h"

struct cursor_table;

/* The common part of this region is the struct cursor_table. */
extern const struct region cursor_region;

/* Access of one worker to the table. */
struct cursors {
	struct cursor_table *table;
	unsigned worker; /* from 0; no two processes at a time have the same */
};

/* Also frees the slots to which the worker's predecessor was writing when it died: until then they
 * keep what they had. WebSockets of the predecessor have ended. */
struct cursors cursors_join(struct cursor_table *table, unsigned worker);

struct poll_cursor cursor_get(const struct cursors *cursors, struct id device_id);
/* The panel has polled at this worker, at this time of the wall clock. */
void cursor_set(const struct cursors *cursors, struct id device_id,
		const struct poll_cursor *cursor, int64_t wall_us);
/* False: since its last poll here the panel has polled at another worker, or made a WebSocket. */
bool cursor_was_set_here(const struct cursors *cursors, struct id device_id);
/* Time of the panel's last poll, if that was at another worker; else 0. */
int64_t cursor_set_elsewhere_us(const struct cursors *cursors, struct id device_id);
/* The panel has made a WebSocket to this worker, or its last one here has ended at that time. */
void cursor_link(const struct cursors *cursors, struct id device_id);
void cursor_unlink(const struct cursors *cursors, struct id device_id, int64_t wall_us);

/* Last contact of a panel with this instance. */
struct cursor_contact {
	bool is_linked;	   /* it has a WebSocket */
	int64_t polled_us; /* its last poll; 0: a WebSocket came after that */
	int64_t left_us;   /* when its WebSocket ended; 0: neither */
};

/* All zero: there was none, or the table has forgotten it. */
struct cursor_contact cursor_contact(const struct cursors *cursors, struct id device_id);
/* A WebSocket panel of this worker shows the installation at this position. Ignored if the panel
 * has made a WebSocket to another worker since: the one here is dead. */
void cursor_move(const struct cursors *cursors, struct id device_id, int64_t position);
/* Time at which a panel of this instance first displayed the push; 0: none has, or the table has
 * forgotten it. */
void cursor_set_shown(const struct cursors *cursors, struct id device_id, int64_t generation,
		      int64_t wall_us);
int64_t cursor_shown_us(const struct cursors *cursors, struct id device_id, int64_t generation);

/* Table of the rotation state of each device, and of the push that it has shown, in memory that the
 * workers of an instance share: a panel opens a new connection for each poll, and any worker may
 * accept it, as when a panel reconnects.
 *
 * A reader always gets an entry that one worker has written completely. If two workers write to one
 * device at the same time, one of them may be ignored, except where a function says so. */
#pragma once

#include "base/id.h"
#include "base/region.h"
#include "domain/poll.h"

struct cursor_table;

/* The common part of this region is the struct cursor_table. */
extern const struct region cursor_region;

/* Access of a worker to the table. */
struct cursors {
	struct cursor_table *table;
	unsigned worker; /* from 0; unique among the processes that use the table */
};

/* Joins the table. Also frees the slots to which the worker's predecessor was writing when it died:
 * until then they keep their old contents. WebSockets of the predecessor count as ended. */
struct cursors cursors_join(struct cursor_table *table, unsigned worker);

/* Returns a new ID by which the instance's workers know each other. */
struct id cursors_name_worker(const struct cursors *cursors);
/* Whether cursors_name_worker() of a worker of the same instance returned the ID. */
bool cursors_have_worker(const struct cursors *cursors, struct id worker_id);

/* When a panel has polled, and the dwell time that it was given. */
struct cursor_moment {
	int64_t wall_us;
	uint64_t loop_ms; /* time of the loop, the same for all workers of a machine */
	uint32_t dwell_s;
};

struct poll_cursor cursor_get(const struct cursors *cursors, struct id device_id);
/* Reports a poll of the panel at this worker. */
void cursor_set(const struct cursors *cursors, struct id device_id,
		const struct poll_cursor *cursor, const struct cursor_moment *moment);

/* Rotation state as it is told to other instances (polled_hint.h). */
struct cursor_travel {
	struct poll_cursor cursor;
	uint32_t number; /* of the poll: one more than the last one that this instance knew of */
	uint32_t dwell_s;
	int64_t shown_generation, shown_us; /* the last push that was shown; 0: none */
};

/* Returns whether other instances must be told of the panel's last poll, and notes that they are
 * at now_ms: they were not told of the panel since others_since_ms, when the youngest of them came;
 * or it has polled at another one since they were told, or since roams_since_ms. All are times of
 * the loop. */
bool cursor_tell(const struct cursors *cursors, struct id device_id, uint64_t others_since_ms,
		 uint64_t roams_since_ms, uint64_t now_ms, struct cursor_travel *ret_travel);
/* Takes what another instance has told, unless the panel has polled here since, or has a WebSocket
 * here. A device that is not in the table gets no slot of one that polls here. moment: when it was
 * told, by the clocks of this machine. */
void cursor_take(const struct cursors *cursors, struct id device_id,
		 const struct cursor_travel *travel, const struct cursor_moment *moment);

/* Returns false if the panel has polled at another worker, or opened a WebSocket, since its last
 * poll here. */
bool cursor_was_set_here(const struct cursors *cursors, struct id device_id);
/* Time of the panel's last poll, if that was at another worker of this instance; else 0. */
int64_t cursor_set_elsewhere_us(const struct cursors *cursors, struct id device_id);
/* Report that the panel has opened a WebSocket to this worker, or that its last one here has ended
 * at that time. Return false if another worker is writing there, or has died while it did: call
 * them again later. */
__attribute__((warn_unused_result)) bool cursor_link(const struct cursors *cursors,
						     struct id device_id);
__attribute__((warn_unused_result)) bool cursor_unlink(const struct cursors *cursors,
						       struct id device_id, int64_t wall_us);

/* Last contact of a panel with this instance, or a poll at another one. */
struct cursor_contact {
	bool is_linked;	   /* it has a WebSocket */
	int64_t polled_us; /* its last poll; 0: none, or a WebSocket came later */
	int64_t left_us;   /* when its WebSocket ended; 0: it has none that ended */
};

/* Returns all zero if there was no contact, or if the table has forgotten it. */
struct cursor_contact cursor_contact(const struct cursors *cursors, struct id device_id);
/* Reports that a WebSocket panel of this worker shows the entry with this creation number. Ignored
 * if the panel has opened a WebSocket to another worker since: the one here is dead. */
void cursor_move(const struct cursors *cursors, struct id device_id, int64_t position);
/* Time at which a panel of this instance first displayed the push; 0: none has, or the table has
 * forgotten it. */
void cursor_set_shown(const struct cursors *cursors, struct id device_id, int64_t generation,
		      int64_t wall_us);
int64_t cursor_shown_us(const struct cursors *cursors, struct id device_id, int64_t generation);

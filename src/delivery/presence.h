/* Presence of panels: the database names the process that has a panel (device.online_by), and the
 * process writes every few seconds that it runs (table presence). So a panel that rests costs no
 * write, and of a process that was killed or cut off others see until when its panels were online.
 *
 * Devices that still name a process which was not seen for a minute are taken from it by another
 * one, a thousand with each of its own writes. If that process goes on, its reconciliation finds
 * out, and its panels are written again. */
#pragma once

#include "db/db.h"
#include "panels.h"

struct presence {
	struct loop *loop;
	struct db *db;
	struct id id; /* of this process, in the table presence */
	struct deadline deadline;
	struct arena arena;
	struct db_query query; /* under way, if is_under_way */
	bool is_under_way;
	bool is_begun;
	bool is_draining;
};

/* Process that is to have a device; values of the parameter "holds" of device_seen.sql. */
enum presence_hold {
	PRESENCE_LEFT,	/* not this process: its panel is gone */
	PRESENCE_POLLS, /* this process, unless another one that runs has it: the panel polls
			   anywhere */
	PRESENCE_LINKED /* this process: the panel has a WebSocket here */
};

/* Set loop and db before, and zero the rest. */
void presence_init(struct presence *presence);
/* Call it when nothing is under way. */
void presence_finish(struct presence *presence);
/* Writes a last time that this process runs. */
void presence_drain(struct presence *presence);

/* Begins to write that this process runs: the first panel is about to be held. */
void presence_begin(struct presence *presence);
/* Whether the panel is online, and in what way: it is connected, or has a picture until its next
 * poll, here or elsewhere as far as this instance knows. longest_ms: longest time of such a
 * picture; panels that poll less often are online only when they do. */
enum presence_hold presence_of(const struct presence *presence, const struct panel *panel,
			       uint64_t longest_ms);
/* When a panel that this process held was last online, by the wall clock, in microseconds: now, if
 * its last contact was elsewhere. */
int64_t presence_last_us(const struct panel *panel);

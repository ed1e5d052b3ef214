/* Panels that poll at several instances: the rotation state of such a panel goes to all of them
 * with each poll, in the hint "polled:<device>:<sender>:...", so the next poll goes on from there.
 *
 * A panel roams until it was polled nowhere else for ROAMING_MS and some of its dwell times. Of
 * others only the first poll after another instance has come is told, so a server that is alone
 * tells nothing. A lost hint shows an entry again or leaves one out, once. */
#pragma once

#include "db/hints.h"
#include "delivery/cursor_table.h"
#include "loop/loop.h"

enum { ROAMING_MS = 10 * 60 * 1000, ROAMING_DWELLS = 6 };

struct roaming {
	struct loop *loop;
	struct db *db;
	const struct cursors *cursors;
	struct id self; /* name of this worker */
	struct hint_subscription hints;
};

/* Set loop, db and cursors before, and zero the rest. */
void roaming_init(struct roaming *roaming);
void roaming_finish(struct roaming *roaming);

/* Tells other instances of a poll that cursor_set() was just called for, if they must know. */
void roaming_polled(const struct roaming *roaming, struct id device_id, int64_t dwell_s);

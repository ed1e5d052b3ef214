/* Writes when each push was first displayed, many in one statement. Nothing waits for these writes,
 * and those that failed because the database was unavailable are kept for later. */
#pragma once

#include "base/buffer.h"
#include "db/db.h"
#include "loop/loop.h"

/* Time at which a panel of this worker first displayed a push. */
struct displayed {
	struct id device_id;
	int64_t generation;
	int64_t wall_us;
};

enum {
	DISPLAYED_MAX = 20000, /* waiting ones; at worst an interrupted push is shown once more */
	DISPLAYED_BATCH = 128,
};

struct displays {
	struct loop *loop;
	struct db *db;
	struct deadline deadline;
	struct buffer waiting; /* of struct displayed, the oldest first */
	unsigned due;	       /* number of these that are being written, batch after batch */
	bool is_under_way;
	bool is_draining;
};

/* Set loop and db before, and zero the rest. */
void displays_init(struct displays *displays);
/* Call it when no write is under way. */
void displays_finish(struct displays *displays);
/* Writes everything that waits; from now on displayed pushes are written at once. */
void displays_drain(struct displays *displays);

/* Takes the first display of a push by a panel. */
void displays_take(struct displays *displays, const struct displayed *displayed);

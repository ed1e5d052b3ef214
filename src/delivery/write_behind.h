/* Writes that nothing waits for, many in one statement: when devices were online, and when each
 * push was first displayed. What the database could not take while it was away is kept for later.
 */
#pragma once

#include "base/buffer.h"
#include "db/db.h"
#include "panels.h"
#include "reconciliation.h"

/* When a panel of this worker first displayed a push. */
struct displayed {
	struct id device_id;
	int64_t generation;
	int64_t wall_us;
};

enum {
	DISPLAYED_MAX = 20000, /* that wait; an interrupted push is shown once more, at worst */
	DISPLAYED_BATCH = 128,
};

struct write_behind {
	struct loop *loop;
	struct db *db;
	struct panels *panels;
	struct reconciliation *reconciliation;
	struct deadline seen_deadline;
	struct deadline displayed_deadline;
	struct buffer displayed; /* of struct displayed, the oldest first */
	unsigned displayed_due;	 /* so many of them are written now, batch after batch */
	bool is_displayed_under_way;
	unsigned under_way; /* writes */
	uint64_t seen_ms;   /* from one write of the times when devices were online to the next */
	bool is_soon;	    /* the next of these writes does not wait for that */
	bool is_draining;
};

/* The caller has set loop, db, panels and reconciliation, and zeroed the rest. */
void write_behind_init(struct write_behind *write_behind);
/* No write is under way any more. */
void write_behind_finish(struct write_behind *write_behind);
void write_behind_set_interval(struct write_behind *write_behind, uint64_t seen_ms);
/* Writes everything that waits; from now on displayed pushes are written at once. */
void write_behind_drain(struct write_behind *write_behind);

/* A panel has connected. Where it is the first time ever, that is written soon, and pages are told.
 */
void write_behind_contact(struct write_behind *write_behind, struct panel *panel);

/* A panel has polled, and panel->polled says for how long. Where it polls more seldom than times
 * are written, that is written soon: the time before would not be right any more. */
void write_behind_polled(struct write_behind *write_behind, const struct panel *panel);

/* A panel displays its push for the first time. Also tells this instance's other workers. */
void write_behind_displayed(struct write_behind *write_behind, struct panel *panel,
			    int64_t generation, int64_t wall_us);

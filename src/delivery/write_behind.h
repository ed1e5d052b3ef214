/* Writes that nothing waits for, many in one statement: when devices were online, and when each
 * push was first displayed. What the database could not take while it was unavailable is kept for
 * later.
 */
#pragma once

#include "base/buffer.h"
#include "contacts.h"
#include "db/db.h"
#include "panels.h"
#include "reconciliation.h"

/* Time at which a panel of this worker first displayed a push. */
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
	struct contacts *contacts;     /* of which this is the only user */
	struct deadline seen_deadline; /* of all panels: the next common moment */
	struct deadline soon_deadline; /* of those in soon */
	struct buffer soon;	       /* of struct id: written before the common moment */
	unsigned soon_under_way;       /* writes of such panels */
	struct deadline displayed_deadline;
	struct buffer displayed; /* of struct displayed, the oldest first */
	unsigned displayed_due;	 /* so many of them are written now, batch after batch */
	bool is_displayed_under_way;
	unsigned under_way; /* writes */
	uint64_t seen_ms;   /* from one write of the times when devices were online to the next */
	bool is_draining;
};

/* The caller has set loop, db, panels, reconciliation and contacts, and zeroed the rest; of
 * contacts it has set the members up to context. */
void write_behind_init(struct write_behind *write_behind);
/* No write is under way any more. */
void write_behind_finish(struct write_behind *write_behind);
void write_behind_set_interval(struct write_behind *write_behind, uint64_t seen_ms);
/* Writes everything that waits; from now on displayed pushes are written at once. */
void write_behind_drain(struct write_behind *write_behind);

/* A panel has connected. If it is the first time ever, that is written at once, and pages are told.
 * The first picture waits for that (contacts.h), but not while the database is unavailable. */
void write_behind_contact(struct write_behind *write_behind, struct panel *panel);

/* A panel has polled, and panel->polled says for how long. Where it polls more seldom than times
 * are written, that is written soon: the time before would not be right any more. */
void write_behind_polled(struct write_behind *write_behind, const struct panel *panel);

/* A panel displays its push for the first time. Also tells this instance's other workers. */
void write_behind_displayed(struct write_behind *write_behind, struct panel *panel,
			    int64_t generation, int64_t wall_us);

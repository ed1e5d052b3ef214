/* Writes that nothing waits for, many in one statement: which devices are online at this worker, or
 * were (presence.h), and when each push was first displayed. Writes that failed because the
 * database was unavailable are kept for later.
 */
#pragma once

#include "base/buffer.h"
#include "contacts.h"
#include "db/db.h"
#include "displays.h"
#include "panels.h"
#include "presence.h"
#include "reconciliation.h"

struct write_behind {
	struct loop *loop;
	struct db *db;
	struct panels *panels;
	struct reconciliation *reconciliation;
	struct contacts *contacts; /* used only by this module */
	struct presence *presence;
	struct deadline seen_deadline; /* next common moment, of all panels */
	struct deadline soon_deadline; /* of panels in soon */
	struct buffer soon;	       /* of struct id: panels that are written before the common
					  moment */
	struct buffer gone;	       /* of struct id: destroyed panels that the database says this
					  process has */
	unsigned soon_under_way;       /* writes of these under way */
	struct displays displays;
	unsigned under_way; /* writes under way */
	uint64_t seen_ms;   /* interval between the common moments */
	bool is_draining;
};

/* Set loop, db, panels, reconciliation, contacts and presence before (of contacts the members up to
 * context), and zero the rest. */
void write_behind_init(struct write_behind *write_behind);
/* Call it when no write is under way. */
void write_behind_finish(struct write_behind *write_behind);
void write_behind_set_interval(struct write_behind *write_behind, uint64_t seen_ms);
/* Writes everything that waits; from now on displayed pushes are written at once. */
void write_behind_drain(struct write_behind *write_behind);

/* Takes a panel's connection. If it is the panel's first, it is written at once, and pages are
 * notified. The first picture waits for that (contacts.h), but not while the database is
 * unavailable. */
void write_behind_contact(struct write_behind *write_behind, struct panel *panel);

/* Takes what the database says of a panel: whether this process has it. If it is online here and
 * the database does not know, that is written soon. */
void write_behind_held(struct write_behind *write_behind, struct panel *panel, bool is_held);
/* Call it when a panel is destroyed. */
void write_behind_forget(struct write_behind *write_behind, const struct panel *panel);

/* Takes a panel's poll, with its time in panel->polled. If the panel polls less often than times
 * are written, the time is written soon, since the old one would be out of date. */
void write_behind_polled(struct write_behind *write_behind, const struct panel *panel);

/* Takes the first display of a push by a panel. Also notifies this instance's other workers. */
void write_behind_displayed(struct write_behind *write_behind, struct panel *panel,
			    int64_t generation, int64_t wall_us);

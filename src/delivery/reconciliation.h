/* Regularly compares the generations of all panels with the database, to make up for lost hints:
 * every 30 s, soon after the moment at which all workers write when panels were seen
 * (write_behind.c), and at once when the hint connection is back. */
#pragma once

#include "loader.h"

struct reconciliation {
	struct loop *loop;
	struct db *db;
	struct panels *panels;
	struct loader *loader;
	struct id presence_id; /* of this process: presence.h */
	/* Called for each panel with what the database says: whether this process has it. */
	void (*on_held)(void *context, struct panel *panel, bool is_held);
	/* Called at each deadline, for other modules to tidy up. */
	void (*on_turn)(void *context);
	void *context;
	uint64_t interval_ms;
	struct deadline deadline;
	bool is_draining;
};

/* Set all members except deadline and is_draining before, and zero these. */
void reconciliation_init(struct reconciliation *reconciliation);
void reconciliation_finish(struct reconciliation *reconciliation);
void reconciliation_set_interval(struct reconciliation *reconciliation, uint64_t interval_ms);
void reconciliation_drain(struct reconciliation *reconciliation);

/* up: hints arrive again, and some may have been lost, so all generations are compared at once. If
 * not up, they are compared every 2 s until hints arrive again. */
void reconciliation_on_hints_up(struct reconciliation *reconciliation, bool up);
/* Call it if a read has failed: compares again in half a second. */
void reconciliation_soon(struct reconciliation *reconciliation);
/* Lets the next turn come after at most so many milliseconds. */
void reconciliation_within(struct reconciliation *reconciliation, uint64_t in_ms);

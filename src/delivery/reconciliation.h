/* Compares the generations of all panels with the database now and then: repairs what lost hints
 * left behind. */
#pragma once

#include "loader.h"

struct reconciliation {
	struct loop *loop;
	struct db *db;
	struct panels *panels;
	struct loader *loader;
	/* Time to tidy up. */
	void (*on_turn)(void *context);
	void *context;
	uint64_t interval_ms;
	struct deadline deadline;
	bool is_draining;
};

/* All but deadline and is_draining are set, these are zeroed. */
void reconciliation_init(struct reconciliation *reconciliation);
void reconciliation_finish(struct reconciliation *reconciliation);
void reconciliation_set_interval(struct reconciliation *reconciliation, uint64_t interval_ms);
void reconciliation_drain(struct reconciliation *reconciliation);

/* Hints come again, and some may have been lost, so all generations are compared at once; or hints
 * come no more, so that they are compared every 2 s. */
void reconciliation_on_hints_up(struct reconciliation *reconciliation, bool up);
/* Something could not be read: tries again in half a second. */
void reconciliation_soon(struct reconciliation *reconciliation);

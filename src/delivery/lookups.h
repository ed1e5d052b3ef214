/* Look-ups, see delivery/lookups.h: by ID in memory or by loading the panel; by serial number or
 * MAC address by asking the database for the ID first. */
#pragma once

#include "delivery/lookups.h"
#include "loader.h"

struct lookups {
	struct db *db;
	struct panels *panels;
	struct loader *loader;
	/* Serial numbers and MAC addresses that led to a device once: the way to it while the
	 * database is away. */
	struct map aliases;
	bool is_draining;
};

/* db, panels and loader are set, the rest is zeroed. */
void lookups_finish(struct lookups *lookups);
/* From now on nothing is found but what waits for a panel that is being loaded. */
void lookups_drain(struct lookups *lookups);

/* True: *ret_panel is the answer, as done() would have it, and done is never called. False: done
 * will be called. */
bool lookups_find(struct lookups *lookups, struct panel_lookup *lookup,
		  const struct device_reference *reference, struct str key,
		  struct panel **ret_panel);

/* The look-up is done once more when lookups_answer() is called for the panel. */
void lookup_wait(struct panel_lookup *lookup, struct panel *panel);
/* Answers the look-ups that wait for this panel. */
void lookups_answer(struct panel *panel);

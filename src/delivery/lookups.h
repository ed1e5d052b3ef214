/* Look-ups, see delivery/lookups.h. A look-up by ID takes the panel from memory or loads it; a
 * look-up by serial number or MAC address asks the database for the ID first. */
#pragma once

#include "delivery/lookups.h"
#include "loader.h"

struct lookups {
	struct db *db;
	struct panels *panels;
	struct loader *loader;
	/* Serial numbers and MAC addresses that led to a panel in memory: they still do while the
	 * database is unavailable. */
	struct map aliases;
	bool is_draining;
};

/* Set db, panels and loader before the first look-up, and zero the rest. */
void lookups_finish(struct lookups *lookups);
/* Makes look-ups find nothing from now on. Those that wait for a panel are still answered. */
void lookups_drain(struct lookups *lookups);

/* Returns true with *ret_panel if that is known at once; done() is not called then. Returns false
 * if done() will be called. */
bool lookups_find(struct lookups *lookups, struct panel_lookup *lookup,
		  const struct device_reference *reference, struct str key,
		  struct panel **ret_panel);

/* Removes the panel's serial number and MAC address, which lead to it, for panels->on_gone(). */
void lookups_forget(struct panel *panel);

/* Whether the panel is in memory and the key is right. */
bool lookups_know(const struct lookups *lookups, const struct device_reference *reference,
		  struct str key);

/* Works as lookups_know(), for a former address, which the caller has set in the look-up. */
bool lookups_know_alias(const struct lookups *lookups, const struct panel_lookup *lookup,
			struct str key);

/* Makes lookups_answer() for the panel call the look-up's done() once more. */
void lookup_wait(struct panel_lookup *lookup, struct panel *panel);
/* Answers the look-ups that wait for this panel. */
void lookups_answer(struct panel *panel);

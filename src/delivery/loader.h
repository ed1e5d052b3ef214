/* Reads panels from the database: what a hint says is newer, and what a look-up wants to know.
 *
 * Panels that are to be loaded wait in a row; what waits at the end of a turn is read as one, so
 * that a change of all devices costs a few hundred reads and not one each. */
#pragma once

#include "db/db.h"
#include "panels.h"

enum load_outcome {
	LOAD_DONE,
	LOAD_LOCKED_OUT, /* done, and links that were allowed before are no longer */
	LOAD_FAILED,	 /* what is in memory goes on */
};

struct loader {
	struct loop *loop;
	struct db *db;
	struct panels *panels;
	/* A panel of state PANEL_READY was loaded, or that failed. Called from the loop; the panel
	 * stays during the call. A device that is gone ends in panels->on_gone(). */
	void (*on_loaded)(void *context, struct panel *panel, enum load_outcome outcome);
	void *context;
	struct list queue; /* of struct panel */
	struct later send;
	unsigned under_way;
	bool is_draining;
};

/* loop, db, panels, on_loaded and context are set. */
void loader_init(struct loader *loader);
/* Nothing is under way any more. */
void loader_finish(struct loader *loader);
/* From now on only panels are loaded that were never, because look-ups wait for them. */
void loader_drain(struct loader *loader);

/* Loads what is newer in the database, unless that is under way already. */
void loader_load(struct loader *loader, struct panel *panel);
/* The device is at this generation: loads its panel, if there is one and it is older. */
void loader_changed(struct loader *loader, struct id device_id, int64_t generation);
/* For panels->on_gone(): it is not to be loaded. */
void loader_forget(struct panel *panel);

bool panel_is_loading(const struct panel *panel);
/* A hint named a newer generation, and that is being loaded. */
bool panel_is_behind(const struct panel *panel);

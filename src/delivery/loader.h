/* Reads panels from the database, when a hint names a newer generation or a look-up needs a panel
 * that is not in memory.
 *
 * The panels wait in a queue, in which the accounts take turns, and at the end of a turn the loader
 * reads up to 64 of them at once: a change of 20,000 devices costs a few hundred reads. If only a
 * push is new, only that is read. At most two such reads are under way: one at a time, or reading
 * only when nothing waits to be sent, did not reduce waits. */
#pragma once

#include "db/db.h"
#include "panels.h"

enum load_outcome {
	LOAD_DONE,
	LOAD_LOCKED_OUT, /* done, but some of the panel's connections may no longer be allowed */
	LOAD_FAILED,	 /* nothing was read: the panel keeps its content in memory */
};

struct loader {
	struct loop *loop;
	struct db *db;
	struct panels *panels;
	/* Called when a panel was loaded, or its load failed; its state is PANEL_READY. Called from
	 * the loop; the panel is valid during the call. If the device is gone, panels->on_gone() is
	 * called instead. */
	void (*on_loaded)(void *context, struct panel *panel, enum load_outcome outcome);
	void *context;
	struct fair_queue queue; /* of struct panel */
	struct later send;
	unsigned under_way;
	bool is_draining;
};

/* Set loop, db, panels, on_loaded and context before. */
void loader_init(struct loader *loader);
/* Call it when no load is under way. */
void loader_finish(struct loader *loader);
/* Makes the loader read only panels of state PANEL_NEW from now on: look-ups wait for them. */
void loader_drain(struct loader *loader);

/* Loads the panel, unless it is loading already. */
void loader_load(struct loader *loader, struct panel *panel);
/* Loads the device's panel, if there is one and it is older than this generation. */
void loader_changed(struct loader *loader, struct id device_id, int64_t generation);
/* Loads the device's panel, if there is one and it is older than this generation, which a push has
 * made. */
void loader_pushed(struct loader *loader, struct id device_id, int64_t generation);
/* Takes the panel out of the queue, for panels->on_gone(). */
void loader_forget(struct panel *panel);

/* Whether the panel includes all changes that this instance has answered before this call, and that
 * hints have reported. If not, loads the panel, which includes them once its load of number
 * *ret_load is done. */
bool loader_freshen(struct loader *loader, struct panel *panel, uint32_t *ret_load);
/* Works as loader_freshen(), for the panel and its leader. */
bool loader_freshen_shown(struct loader *loader, struct panel *panel);
/* Notes that this worker has committed the change that made this generation, and is about to answer
 * it. */
void loader_note_change(struct loader *loader, struct id device_id, int64_t generation);

/* Leases: the devices that pages watch and whose panels this worker holds, with their last known
 * state, and the hints of this worker about them.
 *
 *   hint "watch:..." or a subscription of this worker --> lease      -.
 *   a panel connection or a poll of this worker ------> leases_changed() -+-> news are sent
 *
 * News are sent later in the turn. A lease of another worker's page is made only where the panel
 * is, and lasts until "unwatch:...", or until that worker is not heard any more (view_peers.h). So
 * a worker that gets a panel which somebody may watch sends "came:...", and those that watch it ask
 * again. As long as there is a lease, it has all watches.
 *
 * A lease for this worker's own pages is made in any case. Pages of the holder's own worker get
 * news without a hint, also while the database is unavailable. */
#pragma once

#include "delivery/view_subscription.h"
#include "panels.h"
#include "view_peers.h"
#include "watch_table.h"

struct leases {
	struct loop *loop;
	struct db *db;
	struct panels *panels;
	struct watch_table *watched;
	struct view_peers *peers;
	/* Gets the view of a panel of this worker, for the worker's own view subscriptions. */
	void (*on_view)(void *context, struct id device_id, const struct panel_view *view);
	void *context;
	struct map by_id;      /* of struct lease */
	unsigned watch_count;  /* of all leases */
	struct list to_notify; /* leases to report: the panel may show something else, or was asked
				for */
	struct later notify;
	struct deadline notify_again; /* set while hints have no room */
	uint64_t up_ms;		      /* since when hints have been up */
	struct hint_subscription watches, unwatches;
};

/* Set loop, db, panels, watched, peers, on_view and context before. */
void leases_init(struct leases *leases);
void leases_finish(struct leases *leases);

/* Asks for reports on the device, for this worker's own pages. */
void leases_ask(struct leases *leases, struct id device_id);
/* None of its pages shows the device any more. */
void leases_leave(struct leases *leases, struct id device_id);
/* Call it if a panel of this worker may show something else, or its connection has ended. */
void leases_changed(struct leases *leases, struct id device_id);
/* Call it when a panel has opened a WebSocket to this worker and has no other here, and before its
 * poll is noted. */
void leases_come(struct leases *leases, struct panel *panel);
/* The watches of this peer end. */
void leases_forget(struct leases *leases, struct view_peer *peer);
/* Call it every few seconds: ends watches that were not renewed, and looks for panels that do not
 * poll any more. */
void leases_look(struct leases *leases);

/* Leases: the devices that pages of any worker watch, with their last known state, and the hints of
 * this worker about those whose panels it holds.
 *
 *   hint "watch:..." or a subscription of this worker --> leases_ask()     -.
 *   a panel connection or a poll of this worker ------> leases_changed() -+-> news are sent
 *
 * News are sent later in the turn. A lease lasts 30 s. That of a device whose panel is elsewhere is
 * kept, too: the panel may connect to this worker next. Pages of the holder's own worker get news
 * without a hint, also while the database is unavailable. */
#pragma once

#include "delivery/view_subscription.h"
#include "panel_connections.h"

struct leases {
	struct loop *loop;
	struct db *db;
	struct panels *panels;
	const struct cursors *cursors;
	struct id self; /* name of this worker in hints */
	/* Gets the view of a panel of this worker, for the worker's own view subscriptions. */
	void (*on_view)(void *context, struct id device_id, const struct panel_view *view);
	void *context;
	struct map by_id;      /* of struct lease */
	struct list by_age;    /* by the last request, oldest first */
	struct list to_notify; /* leases to report: the panel may show something else, or was asked
				for */
	struct later notify;
	struct deadline notify_again; /* set while hints have no room */
	struct deadline expire;
};

/* Set loop, db, panels, cursors, on_view and context before. */
void leases_init(struct leases *leases);
void leases_finish(struct leases *leases);

/* Takes a request for reports on the device: from this worker, or from another one, which gets
 * hints. */
void leases_ask(struct leases *leases, struct id device_id, bool is_other);
/* Call it if a panel of this worker may show something else, or its connection has ended. */
void leases_changed(struct leases *leases, struct id device_id);

/* The devices that pages of this worker look at, see delivery/watches.h.
 *
 *   ASKED --"shows:..." came--> KNOWN, asked again after 12 s
 *     `-----nobody answers within 1.5 s--> offline, asked again after 12 s
 *
 * Where several workers tell of one device, its newest link counts, and links count more than
 * polls. */
#pragma once

#include "base/memory_budget.h"
#include "delivery/watches.h"
#include "leases.h"

struct watches {
	struct loop *loop;
	struct db *db;
	struct leases *leases;
	unsigned max;
	struct map by_id;	     /* of struct watch */
	struct memory_budget budget; /* of all watches: a "byte" each */
	struct list to_look_up;	     /* of struct watch: nobody holds its panel */
	struct list looked_up;	     /* that the query under way asks for */
	struct later look_up;
	bool is_looking_up;
	struct arena arena; /* of that query */
	struct db_query query;
	struct hint_subscription views;	  /* "shows" */
	struct hint_subscription others;  /* "watch": the watches of other workers */
	struct hint_subscription devices; /* "device" */
	struct hint_subscription pushes;  /* "push" */
};

/* The caller has set loop, db, leases and max. */
void watches_init(struct watches *watches);
/* No query is under way any more, and nobody watches. */
void watches_finish(struct watches *watches);

/* See delivery_watch(). */
bool watches_add(struct watches *watches, struct watcher *watcher, struct id device_id,
		 struct id account_id);
void watches_remove(struct watcher *watcher);

/* A worker tells what a device shows. */
void watches_take(struct watches *watches, struct id device_id, struct id sender,
		  const struct panel_view *view);

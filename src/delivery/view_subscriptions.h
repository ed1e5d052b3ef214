/* View subscriptions of this worker's pages, see delivery/view_subscription.h.
 *
 *   ASKED --"shows:..." came--> KNOWN, asked again after some 5 minutes, or 15 s after the last
 *     |                         word of the worker that has the panel
 *     `-----nobody answers within 1.5 s--> offline, asked again when a worker gets the panel, and
 *					    after 12 s, 24 s, ... 5 minutes
 *
 * A worker of an older program, which never says that it is here, is asked every 12 s.
 *
 * If several workers report on a device, its newest connection counts, and connections have
 * precedence over polls. */
#pragma once

#include "base/memory_budget.h"
#include "delivery/view_subscription.h"
#include "known_view.h"
#include "leases.h"

struct view_subscriptions {
	struct loop *loop;
	struct db *db;
	struct leases *leases;
	struct view_peers *peers;
	unsigned max;
	struct map by_id;	     /* of struct view_subscription */
	struct memory_budget budget; /* of all view subscriptions: a "byte" each */
	struct list to_look_up;	     /* of struct view_subscription: no worker has its panel */
	struct list looked_up;	     /* those of the query under way */
	struct later look_up;
	bool is_looking_up;
	struct arena arena; /* arena of that query */
	struct db_query query;
	struct hint_subscription views;	  /* "shows" */
	struct hint_subscription comes;	  /* "came" */
	struct hint_subscription devices; /* "device" */
	struct hint_subscription pushes;  /* "push" */
};

/* Set loop, db, leases, peers and max before. */
void view_subscriptions_init(struct view_subscriptions *subscriptions);
/* Call it when no query is under way and no subscription is left. */
void view_subscriptions_finish(struct view_subscriptions *subscriptions);

/* See delivery_subscribe_view(). */
bool view_subscriptions_add(struct view_subscriptions *subscriptions,
			    struct view_subscriber *subscriber, struct id device_id,
			    struct id account_id);
void view_subscriptions_remove(struct view_subscriber *subscriber);

/* Takes a worker's report of what a device shows. */
void view_subscriptions_take(struct view_subscriptions *subscriptions, struct id device_id,
			     struct id sender, const struct panel_view *view);
/* Asks who has the panels that this worker has reported: it was not heard for a while. */
void view_subscriptions_miss(struct view_subscriptions *subscriptions, struct id peer_id);

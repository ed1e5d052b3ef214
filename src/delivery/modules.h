#pragma once

#include "app_comparison.h"
#include "balance.h"
#include "delivery/delivery.h"
#include "expiry.h"
#include "firmware_orders.h"
#include "following.h"
#include "leases.h"
#include "lookups.h"
#include "orders.h"
#include "panel_connections.h"
#include "polling.h"
#include "push_order.h"
#include "reconciliation.h"
#include "roaming.h"
#include "stored_push.h"
#include "upcoming.h"
#include "view_peers.h"
#include "view_subscriptions.h"

/* Modules of a delivery. delivery.c connects them. To notify a module that it does not know, a
 * module calls a function of delivery.c. */
struct delivery {
	struct db *db;
	struct cursors cursors;
	struct account_shares shares;
	struct pictures pictures;
	struct panels panels;
	struct render_keys render_keys;
	struct app_comparison app_comparison;
	struct upcoming upcoming;
	struct loader loader;
	struct picture_fetcher fetcher;
	struct contacts contacts;
	struct presence presence;
	struct write_behind write_behind;
	struct panel_reports reports;
	struct push_order push_order;
	struct orders orders;
	struct firmware_orders firmware_orders;
	struct roaming roaming;
	struct balance balance;
	struct lookups lookups;
	struct panel_connections connections;
	struct polling polling;
	struct reconciliation reconciliation;
	struct view_peers view_peers;
	struct leases leases;
	struct view_subscriptions subscriptions;
	struct expiry expiry;
	struct hint_subscription hints;
	struct hint_subscription app_hints;
	struct hint_subscription render_hints;
};

/* delivery_views.c: the members view_peers, leases and subscriptions. */
void views_init(struct delivery *delivery, struct loop *loop, struct region_map *shared);
void views_finish(struct delivery *delivery);

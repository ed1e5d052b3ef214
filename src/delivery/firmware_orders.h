/* Settings for the firmware of panels.
 *
 *   firmware_set --> panel_load --> panel->ways --firmware_orders_take()--> database
 *       --on_taken()--> the panel's connections
 *
 * A worker takes the settings out of the database before it sends them, as an order (orders.h). The
 * panel's next report confirms them (panel_told). If the worker ends, or the panel leaves, in
 * between, they stay unconfirmed. */
#pragma once

#include "panels.h"

struct db;

struct firmware_orders {
	struct db *db;
	/* Called with settings (JSON) for the panel, which may have left meanwhile. */
	void (*on_taken)(void *context, struct panel *panel, struct str settings);
	void *context;
	unsigned under_way;
};

/* Takes settings that wait for the panel, if there are any. */
void firmware_orders_take(struct firmware_orders *orders, struct panel *panel);
void firmware_orders_finish(struct firmware_orders *orders);

/* Orders for panels: start again, or come to another address and start again.
 *
 *   device_reboot, device_move --> panel_load --> panel->ways --orders_await()--> database
 *       --> panel->order --orders_give()--> the panel
 *
 * A worker whose panel is there takes the order out of the database before it sends it: so the
 * order is sent once, whichever worker or instance the panel comes to. A worker that ends, or a
 * panel that leaves, between these two loses it: the person orders again. Of a move the second key
 * stays in the database until the panel has come with it, so that each order to move has the same
 * one; one to start again has it, too, as long as a move is under way. */
#pragma once

#include "base/arena.h"
#include "domain/secret_settings.h"
#include "panels.h"

struct orders {
	struct db *db;
	/* The order was taken, or cannot be taken now. */
	void (*on_taken)(void *context, struct panel *panel);
	/* The panel has come by its second key, which is its key now. */
	void (*on_moved)(void *context, struct id device_id, int64_t generation);
	void *context;
	const struct settings_key *key; /* NULL: no panel can be led to another address */
	struct str panel_url;		/* see device_link_make() */
	unsigned under_way;
};

/* Order as the panel gets it. */
struct panel_order {
	bool is_given;
	struct str url; /* its new address; data is NULL: none */
};

/* Begins to take an order that waits for the panel, unless that has just come by its second key, or
 * may not be led. is_polling: the caller is a panel that polls. True: on_taken() will be called. */
bool orders_await(struct orders *orders, struct panel *panel, bool is_polling);
/* Whether the device has one connection alone, as far as this worker knows: of several nobody can
 * say which is the panel's, and none is told the second key. */
bool orders_may_lead(const struct panel *panel, bool is_polling);
/* Hands over the order that was taken, once. is_polling: the panel polls, and goes on with that. */
struct panel_order orders_give(const struct orders *orders, struct panel *panel, bool is_polling,
			       struct arena *arena);
/* The panel has come by its second key: no order is for it any more. */
void orders_moved(struct orders *orders, struct panel *panel);
void orders_finish(struct orders *orders);

/* Orders for panels: restart, move to another address and restart, or fetch an image of firmware.
 *
 *   device_reboot, device_move --> panel_load --> panel->ways --orders_await()--> database
 *       --> panel->order --orders_give()--> the panel
 *
 * A worker whose panel is there takes the order out of the database before it sends it: so the
 * order is sent once, whichever worker or instance the panel uses. If the worker ends, or the panel
 * leaves, in between, the order is lost, and the person repeats it. The second key of a move stays
 * in the database until the panel has used it, so that each order to move has the same key; an
 * order to restart has it, too, while a move is under way. */
#pragma once

#include "base/arena.h"
#include "domain/secret_settings.h"
#include "panels.h"

struct orders {
	struct db *db;
	/* Called when the order was taken, or cannot be taken now. */
	void (*on_taken)(void *context, struct panel *panel);
	/* Called when the panel has used its second key, which is its key now. */
	void (*on_moved)(void *context, struct id device_id, int64_t generation);
	void *context;
	const struct settings_key *key; /* NULL: no panel can move to another address */
	struct str panel_url;		/* see device_link_make() */
	unsigned under_way;
};

enum { ORDER_MESSAGES_MAX = 3 };

/* Order as the panel gets it; all zero: none. */
struct panel_order {
	bool reboots;	      /* it restarts at once */
	struct str url;	      /* new address; data is NULL: none */
	struct str image_url; /* URL of its new firmware; data is NULL: none */
};

/* Begins to take an order that waits for the panel, unless the panel has just used its second key,
 * or may not move. way: the way of the panel. is_polling: the caller is a panel that polls. Returns
 * true if on_taken() will be called. */
bool orders_await(struct orders *orders, struct panel *panel, const struct panel_way *way,
		  bool is_polling);
/* Whether the device has only one connection, as far as this worker knows. If it has several, it is
 * unclear which is the panel's, so none gets the second key. */
bool orders_may_lead(const struct panel *panel, bool is_polling);
/* Whether an order was taken that the panel may get now: one that leads it away, or brings firmware
 * for its board, only if it has one connection. may_be_led: see panel_may_be_led(). */
bool orders_may_give(const struct panel *panel, bool is_polling, bool may_be_led);
/* Makes the messages that bring an order over a WebSocket. Returns their number. */
unsigned orders_messages(const struct panel_order *order, struct arena *arena,
			 struct str ret_messages[static ORDER_MESSAGES_MAX]);
/* Hands over the order that was taken, once. is_polling: the panel polls, and will keep polling. */
struct panel_order orders_give(const struct orders *orders, struct panel *panel, bool is_polling,
			       struct arena *arena);
/* Drops orders of a panel that has used its second key. */
void orders_moved(struct orders *orders, struct panel *panel);
void orders_finish(struct orders *orders);

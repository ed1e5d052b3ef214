/* Panels without a WebSocket poll: they get one picture a request. Their rotation state outlives
 * the connection, see delivery/cursor_table.h. */
#pragma once

#include "delivery/polling.h"
#include "lookups.h"
#include "orders.h"
#include "picture_fetcher.h"
#include "roaming.h"
#include "write_behind.h"

struct polling {
	struct loop *loop;
	struct picture_fetcher *fetcher;
	struct write_behind *write_behind;
	struct orders *orders;
	const struct roaming *roaming;
	const struct cursors *cursors;
	/* Called before its poll is noted. */
	void (*on_come)(void *context, struct panel *panel);
	/* Called when the panel was served a picture. */
	void (*on_change)(void *context, struct panel *panel);
	void *context;
};

/* See delivery_poll(). */
bool polling_next(const struct polling *polling, struct panel *panel, struct panel_lookup *lookup,
		  bool is_peek, struct arena *arena, struct poll_picture *ret_picture);

/* Gets single pictures that are not in memory: reads them, because memory is short, or makes them
 * with their look. */
#pragma once

#include "db/db.h"
#include "looks.h"
#include "panels.h"

struct picture_fetcher {
	struct db *db;
	struct looks looks;
	/* Called later, from the loop. has_come: the database had the picture, or it was made. If
	 * the panel still has none, because it was replaced meanwhile, connections and polls fetch
	 * it again. The panel is valid during the call. */
	void (*on_fetched)(void *context, struct panel *panel, bool has_come);
	void *context;
};

/* Fetches the item's picture. One at a time for a panel; nothing while the database is unavailable,
 * or too many are being made. Returns whether one is being fetched. */
bool panel_fetch_picture(struct picture_fetcher *fetcher, struct panel *panel,
			 const struct playback_item *item);

/* Failed renders: finds out whose entries are at the render key, of those whom somebody listens to.
 */
#pragma once

#include "listeners.h"

struct failures {
	struct db *db;
	struct listeners *listeners;
	unsigned under_way;
};

/* See events_failed(). */
void failures_note(struct failures *failures, const uint8_t render_key[static RENDER_KEY_BYTES],
		   int64_t generation, struct id app_id, struct str message);

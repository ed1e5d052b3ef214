/* Failed renders: finds the entries with the render key, of accounts with listeners.
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

/* Finds the device that a panel names in its URL, and checks the panel's key. Serial numbers and
 * MAC addresses are unique within an account only, and a panel does not name its account. So number
 * and key together select the device. */
#pragma once

#include "base/list.h"
#include "domain/device_reference.h"
#include "domain/key.h"

#include <stdbool.h>

struct lookups;
struct panel;

/* How a panel addresses its device. */
struct panel_way {
	bool is_alias;			      /* by a former address */
	bool is_near;			      /* from a private network */
	uint8_t alias_hash[ALIAS_HASH_BYTES]; /* of the former address */
	uint8_t key_hash[KEY_HASH_BYTES];
};

/* Look-up of a panel that waits. The caller embeds it in a struct of its own. */
struct panel_lookup {
	struct list node; /* private */
	/* Called later, from the loop. NULL: there is no such device, the key is wrong, the device
	 * is disabled, or the device is not in memory while the database is unavailable or this
	 * worker stops. The panel is valid during this call. */
	void (*done)(struct panel_lookup *lookup, struct panel *panel);
	struct panel_way way;	 /* key_hash is private, the rest is the caller's */
	bool is_second;		 /* the key is the second key of the device */
	uint32_t load;		 /* private: number of the panel's load that it waits for */
	struct panel *follower;	 /* private: found, and it waits for a load of its leader */
	bool is_undecided;	 /* the device could not be looked up: see
				    delivery_refusal_picture() */
	bool is_disabled;	 /* the key is right, and the device is disabled */
	unsigned tries;		 /* private */
	struct lookups *lookups; /* private */
};

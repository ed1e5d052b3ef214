/* Looking up the device that a display names in its URL, and checking the display's key. Serial
 * numbers and MAC addresses are unique within an account only, and a panel does not name its
 * account: the number and the key select the device together. */
#pragma once

#include "base/list.h"
#include "domain/device_reference.h"
#include "domain/key.h"

#include <stdbool.h>

struct lookups;
struct panel;

/* How a panel comes to its device. */
struct panel_way {
	bool is_alias;		  /* to a former address */
	char alias[ALIAS_LENGTH]; /* that one */
	uint8_t key_hash[KEY_HASH_BYTES];
};

/* Waits for a panel. The caller embeds it in a struct of its own. */
struct panel_lookup {
	struct list node; /* private */
	/* Called later, from the loop. NULL: there is no such device, the key is wrong, the device
	 * is disabled, or it is not in memory while the database is unavailable or this worker
	 * stops. The panel is valid during this call. */
	void (*done)(struct panel_lookup *lookup, struct panel *panel);
	struct panel_way way;	 /* is_alias and alias are the caller's, the rest is private */
	bool is_second;		 /* the key is the second one of the device */
	uint32_t load;		 /* private: of the panel, that it waits for */
	bool is_undecided;	 /* nobody could look: see delivery_refusal_picture() */
	bool is_disabled;	 /* the key is right, and the device is disabled */
	unsigned tries;		 /* private */
	struct lookups *lookups; /* private */
};

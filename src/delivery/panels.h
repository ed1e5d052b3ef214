/* Devices as a worker keeps them in memory while it serves their panels: settings, rotation,
 * pictures.
 *
 *   PANEL_NEW --loaded--> PANEL_READY --unused, or the device is gone--> PANEL_GONE, freed
 *       `---------------- no such device ------------------------------------^
 *
 * Other modules keep their own members in a panel. A panel that one of them holds (panel_hold()) is
 * not freed. */
#pragma once

#include "base/list.h"
#include "delivery/change_table.h"
#include "delivery/cursor_table.h"
#include "delivery/lookups.h"
#include "delivery/view_subscription.h"
#include "domain/device_reference.h"
#include "domain/firmware.h"
#include "domain/following.h"
#include "domain/key.h"
#include "domain/shown.h"
#include "loop/loop.h"
#include "pictures.h"

enum panel_state {
	PANEL_NEW,   /* never loaded: look-ups wait */
	PANEL_READY, /* has content, perhaps of an older generation */
	PANEL_GONE,  /* destroyed: in no list; freed when its last holder releases it */
};

/* Further keys and addresses of a device, and an order for its panel. Few devices have any. */
struct panel_ways {
	uint8_t alias_hash[ALIAS_HASH_BYTES]; /* of the former address */
	bool has_alias;
	bool has_alias_key; /* the panel proves itself by it at the alias */
	bool is_alias_open; /* the panel may leave it out there */
	bool is_alias_guessable;
	bool has_second_key;
	uint8_t alias_key_hash[KEY_HASH_BYTES];
	uint8_t second_key_hash[KEY_HASH_BYTES];
	int64_t order_generation;    /* 0: no order waits */
	int64_t firmware_generation; /* 0: no settings of the firmware wait */
};

/* Order that this worker has taken and not yet sent. */
struct panel_taken_order {
	char key[LINK_KEY_LENGTH + 1]; /* key of its new address; empty: it only restarts */
	char url[FIRMWARE_ADDRESS_LENGTH_MAX + 1]; /* start of that; empty: the usual one */
	struct id image_id; /* of the firmware that it is to fetch; none: it only restarts */
	uint64_t taken_ms;  /* loop time */
};

/* Set if the device follows another one; following.c. */
struct panel_following {
	struct panel *panel;
	struct panel *leader;  /* of the same account; held */
	struct list of_leader; /* in leader->lead->followers */
	struct follower_options options;
};

/* Part of a leader, and of a panel that was one; following.c. */
struct panel_lead {
	struct list followers;	/* of struct panel_following */
	struct panel *shown_by; /* follower that tells which entries come next; NULL: none */
	bool is_known;		/* whether the leader's panel is online */
	bool is_online;
	struct content_lead turn; /* of that panel */
	struct view_subscriber subscriber;
	bool is_subscribed; /* delivery.c */
	struct panel *leader;
	struct panel_connections *connections; /* delivery.c */
};

/* An idle panel costs little more than this, its connection and its socket. The small members of
 * all modules come together, to avoid padding. */
struct panel {
	struct map_node by_id;
	struct list by_use;	     /* in panels->by_use, least recently used first */
	struct list of_share;	     /* in share->by_use */
	struct account_share *share; /* share of the account */
	struct panels *panels;
	struct id id;
	uint8_t link_key_hash[KEY_HASH_BYTES];
	struct panel_ways *ways;	   /* NULL: none */
	struct panel_taken_order *order;   /* NULL: none; orders.c */
	struct panel_following *following; /* NULL: none */
	struct panel_lead *lead;	   /* NULL: nobody follows it */
	enum panel_state state : 8;
	bool is_disabled;
	bool has_connected;  /* has connected at least once, and this is stored or being stored;
				write_behind.c */
	bool is_contact;     /* the first connection is being stored; write_behind.c */
	bool is_held;	     /* the database says that this process has it; write_behind.c */
	bool awaits_contact; /* its first picture waits for is_contact; write_behind.c */
	bool wants_push;     /* it waits only for a push; loader.c */
	bool takes_order;    /* it is taking an order from the database; orders.c */
	bool takes_firmware; /* it is taking settings from the database; firmware_orders.c */
	bool is_moving;	     /* the second key is being made the key; orders.c */
	bool is_unread;	     /* PANEL_GONE because the database was unavailable; loader.c */
	uint8_t load_index;  /* index in the load under way; loader.c */
	unsigned holders;    /* see panel_hold() */
	unsigned connection_count; /* panel_connections.c */
	unsigned app_count;	   /* render_keys.c */
	uint32_t
	    version_told; /* hash of the firmware's version in the last poll; delivery_calls.c */
	uint32_t loads_begun;	/* loader.c */
	uint32_t loads_done;	/* loader.c */
	uint32_t loads_wanted;	/* number, from 1, of the load that is waited for; loader.c */
	int64_t generation;	/* generation of the content */
	struct content content; /* installations are malloc'ed and owned here, pictures shared */
	uint64_t used_ms;	/* loop time */
	/* Members of write_behind.c: */
	int64_t seen_us; /* wall clock; 0: nothing to write down */
	/* Member of leases.c: */
	uint64_t came_ms; /* loop time of the last word "came" of it; 0: none */
	/* Members of loader.c: */
	int64_t wanted_generation;	/* the newest that a hint named */
	struct change_counter *changes; /* counter of the device, perhaps shared with others */
	uint64_t changes_known;		/* value that the content includes */
	struct list to_load;		/* in loader->queue, while the panel waits there */
	struct load *load;		/* under way; NULL: none */
	uint64_t loaded_ms;		/* loop time; 0: never */
	/* Members of picture_fetcher.c: */
	struct picture_fetch *fetch; /* under way; NULL: none */
	/* Members of lookups.c: */
	struct list lookups; /* of struct panel_lookup: while PANEL_NEW, or for a picture */
	struct list aliases; /* of struct alias */
	/* Members of polling.c: */
	struct shown_poll *polled; /* the last poll of this worker; NULL: none */
	/* Members of upcoming.c: */
	struct deadline look; /* next look at upcoming entries */
	/* Members of render_keys.c: */
	struct app_entry *apps; /* installations of apps */
	/* Members of panel_connections.c: */
	struct list connections; /* of struct panel_connection */
};

struct panels {
	struct loop *loop;
	struct db *db;
	struct pictures *pictures;
	struct account_shares *shares;
	const struct cursors *cursors;
	struct change_table *changes;
	struct render_keys *render_keys;
	struct upcoming *upcoming;
	struct map by_id;
	struct list by_use;
	unsigned connected; /* panels that have connections */
	unsigned max;
	uint64_t unused_ms; /* idle time after which a panel is destroyed */
	/* Called when the panel was just destroyed: look-ups, connections and the loader's queue
	 * must release it. */
	void (*on_gone)(void *context, struct panel *panel);
	/* Called when a panel has got its first follower in memory, or has lost its last one. */
	void (*on_led)(void *context, struct panel *leader);
	void *context;
};

/* Set loop, db, pictures, shares, cursors, changes, max, unused_ms, on_gone and context before.
 */
void panels_init(struct panels *panels);
/* Destroys all panels. */
void panels_finish(struct panels *panels);

struct panel *panels_find(const struct panels *panels, struct id id);
/* Makes a panel in state PANEL_NEW. If there are too many, destroys an unused one, of roughly the
 * account with most. */
struct panel *panels_create(struct panels *panels, struct id id);
/* Destroys panels that were not used for unused_ms. */
void panels_expire(struct panels *panels);

/* Destroys the panel: panels_find() no longer finds it, and it is freed when nothing holds it. */
void panel_destroy(struct panel *panel);
/* Hold and release: in between the panel is neither destroyed to make room nor freed. */
void panel_hold(struct panel *panel);
void panel_let_go(struct panel *panel);
/* Marks the panel as just used. */
void panel_touch(struct panel *panel);
/* Whether the loader reads the panel, or will at the end of this turn. */
bool panel_is_loading(const struct panel *panel);
/* Sets the account of the panel, at its first load. */
void panel_set_account(struct panel *panel, struct id account_id);
/* Destroys an unused panel of the account, if the account's pictures exceed their memory. */
void panel_make_room(struct panel *panel);
/* Whether the key and address are valid for the device, even if it is disabled. */
bool panel_is_open(const struct panel *panel, const struct panel_way *way);
/* Whether the panel may be told the device's new URL, which has a key: not if it has only named a
 * former address that can be guessed, from a public network. */
bool panel_may_be_led(const struct panel *panel, const struct panel_way *way);
/* Whether the key is the device's second key. */
bool panel_has_second_key(const struct panel *panel, const struct panel_way *way);
/* Drops an order that was taken and not yet sent, if its key is not the second one any more. */
void panel_drop_old_order(struct panel *panel);
/* Notes that the device was just online. */
void panel_seen(struct panel *panel);

/* Returns an installation without a picture, for content that panel_finish_content() frees. The ID
 * is copied. */
struct content_installation panel_new_installation(struct str id, int64_t position);
/* Frees what the content owns. */
void panel_finish_content(struct panels *panels, struct content *content);
/* Checks by the cursor table whether another worker of this instance has displayed the push. */
void panel_recall_push(struct panel *panel);
/* Returns the panel whose content has the item's picture: the panel itself or, if it follows, its
 * leader, unless the item is a push to the follower. *ret_item: the item there. */
struct panel *panel_of_item(struct panel *panel, const struct playback_item *item,
			    struct playback_item *ret_item);
/* Returns the picture of an item, without its look; NULL: it has none of the panel's. */
const struct picture *panel_picture_source(const struct panel *panel,
					   const struct playback_item *item);
/* Returns the bytes of an item's picture, with its look; NULL data if they are not in memory. */
struct str panel_picture(struct panel *panel, const struct playback_item *item);
/* Returns the hash of an item's picture, if its bytes are in memory and still those of the item. */
bool panel_picture_hash(struct panel *panel, const struct playback_item *item,
			uint8_t ret_hash[static PICTURE_HASH_BYTES]);
/* Drops a temporary image that no panel will show any more. */
void panel_drop_old_push(struct panel *panel);
/* Call it when the item was sent: as panel_drop_old_push(), and if memory is short, drops the
 * item's picture. */
void panel_release_picture(struct panel *panel, const struct playback_item *item);

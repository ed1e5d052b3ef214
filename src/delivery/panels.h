/* Devices as a worker keeps them in memory while it serves their displays: settings, rotation,
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
#include "domain/device_reference.h"
#include "domain/key.h"
#include "domain/shown.h"
#include "loop/loop.h"
#include "pictures.h"

enum panel_state {
	PANEL_NEW,   /* never loaded: look-ups wait */
	PANEL_READY, /* has content, perhaps of an older generation */
	PANEL_GONE,  /* destroyed: in no list; freed when its last holder lets go */
};

/* Ways to a device beside its key, and an order for its panel. Few devices have any. */
struct panel_ways {
	char alias[ALIAS_LENGTH];
	bool has_alias;
	bool has_alias_key; /* the panel must show it at the alias */
	bool has_second_key;
	uint8_t alias_key_hash[KEY_HASH_BYTES];
	uint8_t second_key_hash[KEY_HASH_BYTES];
	int64_t order_generation; /* 0: there is no order to be taken */
};

/* An order that this worker has taken and not yet sent. */
struct panel_taken_order {
	char key[LINK_KEY_LENGTH + 1]; /* of its new address; empty: it only starts again */
	uint64_t taken_ms;	       /* loop time */
};

/* An idle panel costs little else than this, its connection and its socket. The small members of
 * all modules stand together, so that there are no gaps. */
struct panel {
	struct map_node by_id;
	struct list by_use;	     /* in panels->by_use, least recently used first */
	struct list of_share;	     /* in share->by_use */
	struct account_share *share; /* of the account */
	struct panels *panels;
	struct id id;
	uint8_t link_key_hash[KEY_HASH_BYTES];
	struct panel_ways *ways;	 /* NULL: none beside that key */
	struct panel_taken_order *order; /* NULL: none; orders.c */
	enum panel_state state : 8;
	bool is_disabled;
	bool has_connected;  /* ever, and the database knows or is being told; write_behind.c */
	bool is_contact;     /* it is being told of the first time; write_behind.c */
	bool awaits_contact; /* its first picture waits for that; write_behind.c */
	bool wants_push;     /* it waits for a push alone, all else is known; loader.c */
	bool takes_order;    /* from the database, just now; orders.c */
	bool is_moving;	     /* the second key is being made the key; orders.c */
	bool is_unread;	     /* PANEL_GONE because the database was unavailable; loader.c */
	uint8_t load_index;  /* in the load that is under way; loader.c */
	unsigned holders;    /* see panel_hold() */
	unsigned connection_count; /* connections.c */
	unsigned app_count;	   /* render_keys.c */
	uint32_t
	    version_told; /* hash of the firmware's version in the last poll; delivery_calls.c */
	uint32_t loads_begun;	/* loader.c */
	uint32_t loads_done;	/* loader.c */
	uint32_t loads_wanted;	/* the load of this number, from 1, is waited for; loader.c */
	int64_t generation;	/* of the content */
	struct content content; /* installations are malloc'ed and owned here, pictures shared */
	uint64_t used_ms;	/* loop time */
	/* Members of write_behind.c: */
	int64_t seen_us; /* wall clock; 0: nothing to write down */
	/* Members of loader.c: */
	int64_t wanted_generation;	/* the newest that a hint named */
	struct change_counter *changes; /* of the device; other devices may count there, too */
	uint64_t changes_known;		/* as many of them are in the content */
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
	struct deadline look; /* at what comes next */
	/* Members of render_keys.c: */
	struct app_entry *apps; /* the installations of apps */
	/* Members of connections.c: */
	struct list connections; /* of struct link */
};

struct panels {
	struct loop *loop;
	struct pictures *pictures;
	struct account_shares *shares;
	const struct cursors *cursors;
	struct change_table *changes;
	struct render_keys *render_keys;
	struct upcoming *upcoming;
	struct map by_id;
	struct list by_use;
	unsigned connected; /* of them, those that have connections */
	unsigned max;
	uint64_t unused_ms; /* after so long without use a panel is destroyed */
	/* The panel was just destroyed: look-ups, connections and the loader's queue let it go. */
	void (*on_gone)(void *context, struct panel *panel);
	void *context;
};

/* The caller has set loop, pictures, shares, cursors, changes, max, unused_ms, on_gone and context.
 */
void panels_init(struct panels *panels);
/* Destroys all panels. */
void panels_finish(struct panels *panels);

struct panel *panels_find(const struct panels *panels, struct id id);
/* A new panel in state PANEL_NEW. Where there are too many, one that is not used is destroyed, of
 * about the account that has most. */
struct panel *panels_create(struct panels *panels, struct id id);
/* Destroys panels that were not used for unused_ms. */
void panels_expire(struct panels *panels);

/* panels_find() no longer finds the panel, and it is freed when nothing holds it. */
void panel_destroy(struct panel *panel);
/* Between these two calls the panel is not destroyed to make room, nor freed. */
void panel_hold(struct panel *panel);
void panel_let_go(struct panel *panel);
/* The panel was used just now. */
void panel_touch(struct panel *panel);
/* The loader reads it, or will at the end of this turn. */
bool panel_is_loading(const struct panel *panel);
/* The panel is that of this account: from its first load on. */
void panel_set_account(struct panel *panel, struct id account_id);
/* Destroys a panel of the account that is not used, if the account's pictures need more memory than
 * they may have. */
void panel_make_room(struct panel *panel);
/* Whether that way leads to the device, disabled or not. */
bool panel_is_open(const struct panel *panel, const struct panel_way *way);
/* The way is by the device's second key. */
bool panel_has_second_key(const struct panel *panel, const struct panel_way *way);
/* Drops an order that was taken and not yet sent, if its key is not the second one any more. */
void panel_drop_old_order(struct panel *panel);
/* The device was online just now. */
void panel_seen(struct panel *panel);

/* An installation without a picture, for content that panel_finish_content() frees. The ID is
 * copied. */
struct content_installation panel_new_installation(struct str id, int64_t position);
/* Frees what the content owns. */
void panel_finish_content(struct panels *panels, struct content *content);
/* Learns from the cursor table whether another worker of this instance has displayed the push. */
void panel_recall_push(struct panel *panel);
/* The bytes of an item's picture; NULL data where they are not in memory. */
struct str panel_picture(const struct panel *panel, const struct playback_item *item);
/* The name of that picture, as far as its bytes are in memory and are those of the item still. */
bool panel_picture_hash(const struct panel *panel, const struct playback_item *item,
			uint8_t ret_hash[static PICTURE_HASH_BYTES]);
/* Drops a temporary image that no panel is to show any more. */
void panel_drop_old_push(struct panel *panel);
/* The item was sent. The same, and where memory is short, drops the item's picture. */
void panel_release_picture(struct panel *panel, const struct playback_item *item);

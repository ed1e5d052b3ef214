/* Render keys: one for all installations of apps that show the same picture. A worker reads the
 * picture of a render key once, for all of its panels that have an installation with this key.
 *
 *   panel is loaded --panel_set_entries()--> key <--render_keys_changed()-- hint "render:..."
 *                                             | read, later, many at once   hint "app:..."
 *   its panels' content <--entries------------'
 *
 * A render key lives as long as it has entries. */
#pragma once

#include "db/db.h"
#include "delivery/upcoming.h"
#include "panels.h"

struct panel_installations_row;

struct render_key {
	struct map_node by_key;
	struct render_keys *render_keys;
	struct list entries;	/* of struct app_entry */
	struct list to_read;	/* in render_keys->to_read, while it waits there */
	struct list to_compare; /* in app_comparison->to_compare, while it waits there */
	uint8_t key[RENDER_KEY_BYTES];
	struct id app_id;
	struct id version_id; /* version to render; nil: none */
	/* Known state of the app, and known render. */
	int64_t app_generation;
	int64_t generation;
	int64_t picture_generation; /* 0: there is none */
	uint64_t due_ms;	    /* loop time: not to be rendered again earlier */
	uint64_t ask_ms;	    /* loop time: not to be demanded again earlier */
	bool has_nothing;
	bool is_whole;
	bool is_each_turn; /* each turn of each panel has a picture of its own */
	bool lacks_bytes;  /* an entry's picture is not in memory */
};

/* Installation of an app on a panel. */
struct app_entry {
	struct list of_render_key;
	struct render_key *render_key;
	struct panel *panel;
	int64_t position;
	/* Unix times, if each turn has a picture of its own: turn of the current picture, and turn
	 * of the last demand. */
	int64_t made_s, demanded_s;
	uint64_t ask_ms; /* loop time: not to be demanded again earlier, for demanded_s */
};

struct render_keys {
	struct loop *loop;
	struct db *db;
	/* Called from the loop when the panel has other pictures. */
	void (*on_changed)(void *context, struct panel *panel);
	void *context;
	struct map by_key;
	struct list to_read; /* of struct render_key */
	struct later read;
	bool is_reading;
	bool has_missed; /* a read has failed: compare all soon */
	bool is_draining;
};

/* Set loop, db, on_changed and context before. */
void render_keys_init(struct render_keys *render_keys);
/* Call it when no panel is left and no read is under way. */
void render_keys_finish(struct render_keys *render_keys);
/* Stops all reads from now on. */
void render_keys_drain(struct render_keys *render_keys);

/* Call it when the panel's content was made from these rows: the entries of its apps join their
 * render keys, and get their pictures from there. kept: the old content, whose pictures of apps
 * stay if the render key has none. */
void panel_set_entries(struct panel *panel, const struct panel_installations_row *rows,
		       unsigned count, struct content *kept);
/* Removes the panel's entries from their render keys. */
void panel_drop_entries(struct panel *panel);

/* Reads the render key if it is known here and older than this generation. */
void render_keys_changed(struct render_keys *render_keys,
			 const uint8_t key[static RENDER_KEY_BYTES], int64_t generation);
/* Call it if another version of the app may be deployed. */
void render_keys_app_changed(struct render_keys *render_keys, struct id app_id, int64_t generation);
/* Reads the render key if it is known here. */
void render_keys_read(struct render_keys *render_keys, const uint8_t key[static RENDER_KEY_BYTES]);
/* Returns the render key in hexadecimal, as statements take it, in the arena. */
struct str render_key_text(const struct render_key *render_key, struct arena *arena);
/* Does not demand the render key for so long. */
void render_keys_put_off(struct render_keys *render_keys,
			 const uint8_t key[static RENDER_KEY_BYTES], uint64_t for_ms);

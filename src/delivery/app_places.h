/* Places: what all installations of apps have in common that show the same picture. A worker reads
 * what is rendered at a place once, however many of its panels have an installation there.
 *
 *   panel is loaded --panel_set_entries()--> place <--app_places_changed()-- hint "render:..."
 *                                             | read, later, many at once   hint "app:..."
 *   its panels' content <--entries------------'
 *
 * A place lives as long as it has entries. */
#pragma once

#include "db/db.h"
#include "delivery/upcoming.h"
#include "panels.h"

struct panel_installations_row;

struct app_place {
	struct map_node by_key;
	struct app_places *places;
	struct list entries;	/* of struct app_entry */
	struct list to_read;	/* in places->to_read, while it waits there */
	struct list to_compare; /* in that of struct app_comparison, likewise */
	uint8_t key[PLACE_BYTES];
	struct id app_id;
	struct id version_id; /* that is to be rendered; nil: none is */
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

/* An app's installation of a panel. */
struct app_entry {
	struct list of_place;
	struct app_place *place;
	struct panel *panel;
	int64_t position;
	/* Unix times, if each turn has a picture of its own: the turn of the picture at hand, and
	 * the turn of the last demand. */
	int64_t made_s, demanded_s;
	uint64_t ask_ms; /* loop time: not to be demanded again earlier, for demanded_s */
};

struct app_places {
	struct loop *loop;
	struct db *db;
	/* The panel has other pictures now. Called from the loop. */
	void (*on_changed)(void *context, struct panel *panel);
	void *context;
	struct map by_key;
	struct list to_read; /* of struct app_place */
	struct later read;
	bool is_reading;
	bool has_missed; /* a read has failed: all are to be compared soon */
	bool is_draining;
};

/* The caller has set loop, db, on_changed and context. */
void app_places_init(struct app_places *places);
/* No panel is left, and no read is under way. */
void app_places_finish(struct app_places *places);
/* Stops all reads from now on. */
void app_places_drain(struct app_places *places);

/* The panel's content was made anew of these rows: the entries of its apps join their places, and
 * get pictures that are in memory there. kept: the content before, whose pictures of apps stay
 * where the place has none. */
void panel_set_entries(struct panel *panel, const struct panel_installations_row *rows,
		       unsigned count, struct content *kept);
/* The panel's entries leave their places. */
void panel_drop_entries(struct panel *panel);

/* The place is at this generation: it is read, if it is known here and older. */
void app_places_changed(struct app_places *places, const uint8_t key[static PLACE_BYTES],
			int64_t generation);
/* Another version of the app may be deployed. */
void app_places_app_changed(struct app_places *places, struct id app_id, int64_t generation);
/* The place is read, if it is known here. */
void app_places_read(struct app_places *places, const uint8_t key[static PLACE_BYTES]);
/* Its key as statements get it: hexadecimal. In the arena. */
struct str app_place_text(const struct app_place *place, struct arena *arena);
/* Nobody is to render the place for so long. */
void app_places_put_off(struct app_places *places, const uint8_t key[static PLACE_BYTES],
			uint64_t for_ms);

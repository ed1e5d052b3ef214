/* The delivery layer from the inside. */
#pragma once

#include "base/map.h"
#include "delivery/delivery.h"
#include "domain/playback.h"
#include "domain/poll.h"
#include "http/websocket.h"
#include "loop/budgeted_queue.h"

enum panel_state {
	PANEL_NEW,   /* never loaded: searches wait */
	PANEL_READY, /* has content, perhaps of an older generation */
	PANEL_GONE,  /* destroyed: in no list; awaits what is under way */
};

/* A device as this worker knows it. */
struct panel {
	struct map_node by_id;
	struct list by_use; /* in delivery->by_use, least recently used first */
	struct delivery *delivery;
	struct id id;
	enum panel_state state;
	bool is_disabled;
	uint8_t link_key_hash[KEY_HASH_BYTES];
	int64_t generation;	   /* of the content */
	int64_t wanted_generation; /* the newest that a hint named */
	struct list to_load;	   /* in delivery->to_load, while it waits for that */
	struct load *load;	   /* under way; NULL: none */
	struct panel_fetch *fetch; /* likewise */
	struct content content;	   /* installations are malloc'ed and owned here, pictures shared */
	struct list sessions;	   /* of struct session */
	unsigned session_count;
	struct list searches; /* of struct panel_search: while PANEL_NEW, or for a picture */
	unsigned pins;	      /* calls on the stack that go on using it: not to be destroyed */
	int64_t seen_us;      /* wall clock; 0: nothing to write down */
	uint64_t used_ms;     /* loop time */
	uint64_t loaded_ms;   /* likewise; 0: never */
};

/* One WebSocket connection of a panel. */
struct session {
	struct list node;    /* in panel->sessions */
	struct panel *panel; /* NULL once it was dropped */
	struct websocket *websocket;
	struct playback playback;
	int64_t position_told; /* rotation_position that is in the cursor */
	uint64_t minute_ms;    /* since when messages are counted */
	unsigned messages;
	bool has_introduced_itself;
	struct deadline deadline;
	struct list update; /* in delivery->updates: decides again */
};

/* A push that was first displayed here, to be written down. */
struct displayed {
	struct id device_id;
	int64_t generation;
	int64_t wall_us;
};

enum { DISPLAYED_MAX = 512 };

struct delivery {
	struct loop *loop;
	struct db *db;
	struct hint_subscription device_hints;
	struct hint_subscription push_hints;
	struct cursor_table *cursors;
	struct map panels; /* by ID */
	struct list by_use;
	struct map aliases;  /* serial or MAC -> ID, for when the database is away */
	struct map answered; /* of struct answered_push: the newest answered push of a device */
	struct list answered_by_age;
	struct map pictures;	       /* of struct shared_picture, by bytes */
	struct map_node *last_picture; /* in pictures: used last; NULL: gone */
	size_t picture_bytes;	       /* of all in pictures */
	int64_t position_sent;	       /* of the installation that an update has sent; -1: none */
	struct budgeted_queue updates; /* of struct session */
	struct list to_load;	       /* of struct panel */
	struct later load_later;
	unsigned loads_under_way;
	struct delivery_limits limits;
	struct deadline seen_deadline;
	struct deadline displayed_deadline;
	struct deadline sweep_deadline;
	struct displayed displayed[DISPLAYED_MAX];
	unsigned displayed_count;
	unsigned writes_under_way;
	bool is_draining;
};

/* ---- panel.c ---- */
struct panel *panel_find(struct delivery *delivery, struct id id);
/* A new one in state PANEL_NEW; makes room by destroying unused ones. */
struct panel *panel_create(struct delivery *delivery, struct id id);
/* Ends searches (nothing found) and sessions, then frees. What is under way is awaited: the panel
 * is found no more, and goes when that has come. */
void panel_destroy(struct panel *panel);
/* Frees one that was destroyed, once nothing is under way for it any more. */
void panel_free_if_gone(struct panel *panel);
void panel_drop_sessions(struct panel *panel);
void panel_touch(struct panel *panel);
/* The device was online just now. */
void panel_seen(struct panel *panel);
/* Sessions decide again, later. */
void panel_changed(struct panel *panel);
/* Destroys panels that nobody has used for a while. */
void panels_expire(struct delivery *delivery);

/* ---- load.c ---- */
/* Loads what is newer in the database, unless that is under way already. */
void panel_load_start(struct panel *panel);
bool panel_is_loading(const struct panel *panel);
void loads_start(struct delivery *delivery);
void loads_stop(struct delivery *delivery);

/* ---- apply.c ---- */
/* Takes over from this instance's other workers when the push was displayed. */
void panel_recall_push(struct panel *panel);
void content_finish(struct delivery *delivery, struct content *content);

/* ---- fetch.c ---- */
/* Fetches the picture of the installation at this position, which is not in memory; the panel's
 * sessions decide again when it has come. One at a time. */
void panel_fetch_picture(struct panel *panel, int64_t position);
/* Drops an installation's picture again where memory is short. */
void panel_release_picture(struct panel *panel, int64_t position);

/* ---- search.c ---- */
/* Answers the searches that wait for this panel. The panel stays. */
void panel_answer_searches(struct panel *panel);
void aliases_finish(struct delivery *delivery);

/* ---- session.c ---- */
/* Closes a session's connection without a CLOSE frame. */
void session_drop(struct session *session);
/* What delivery->updates runs. */
void session_on_update(struct list *node);

/* ---- ledger.c: what is written down in batches ---- */
/* The panel's push is displayed for the first time; also told to this instance's other workers. */
void ledger_start(struct delivery *delivery);
void ledger_stop(struct delivery *delivery);
void ledger_displayed(struct panel *panel, int64_t generation, int64_t wall_us);
void ledger_flush(struct delivery *delivery);

/* ---- sweep.c ---- */
/* Also sets the next one anew: while hints do not come, it is soon. */
void sweep_start(struct delivery *delivery);
void sweep_now(struct delivery *delivery);
/* Something could not be read: moves the next one near. */
void sweep_soon(struct delivery *delivery);
void sweep_stop(struct delivery *delivery);

/* ---- cursor.c ---- */
struct poll_cursor cursor_get(const struct cursor_table *table, struct id device_id);
void cursor_set(struct cursor_table *table, struct id device_id, const struct poll_cursor *cursor);
/* A WebSocket panel shows the installation at this position. */
void cursor_move(struct cursor_table *table, struct id device_id, int64_t position);
/* When a push was first displayed by a panel of this instance; 0: not that anybody knows. */
void cursor_set_shown(struct cursor_table *table, struct id device_id, int64_t generation,
		      int64_t wall_us);
int64_t cursor_shown_us(const struct cursor_table *table, struct id device_id, int64_t generation);

/* ---- delivery.c ---- */
/* Sends "<kind>:<id>:<generation>" to all workers. */
void delivery_hint(struct delivery *delivery, const char *kind, struct id id, int64_t generation);
/* Loads this worker's panel of the device anew, if there is one and it is older. */
void delivery_panel_changed(struct delivery *delivery, struct id device_id, int64_t generation);
bool delivery_parse_hint(struct str text, struct id *ret_id, int64_t *ret_generation);

/* ---- turns.c ---- */
void turns_init(struct delivery *delivery);
void turns_finish(struct delivery *delivery);
/* Frees what is known of pushes that were answered long ago. */
void turns_forget(struct delivery *delivery);

/* ---- pictures.c ---- */
extern const struct str picture_nothing_to_show;
extern const struct str picture_unknown_device;
/* A user's share of these bytes, of which a copy is kept; until picture_release(). */
struct picture picture_share(struct delivery *delivery, struct str webp);
/* Its data is NULL then. One without data stays as it is. */
void picture_release(struct delivery *delivery, struct picture *picture);
/* Bytes of an item: NULL data where they are not in memory. */
struct str picture_of_item(const struct panel *panel, const struct playback_item *item);

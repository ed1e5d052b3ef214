/* Pictures on their way to panels.
 *
 * A worker keeps the devices whose panels it serves in memory (struct panel). What changes is told
 * by hints ("device 42 is now at generation 17"); the generation in the database decides, and a
 * slow sweep repairs what lost hints left behind. Losing the database disturbs no panel that is
 * known.
 *
 *   push handler --delivery_device_changed()--> this worker's panel, and a hint to all others
 *   hint "device:..." --> panel is loaded anew --> its sessions decide what to send
 */
#pragma once

#include "base/id.h"
#include "base/list.h"
#include "base/region.h"
#include "db/db.h"
#include "domain/device_reference.h"
#include "domain/key.h"
#include "http/request.h"

struct delivery;
struct panel;
struct cursor_table;

/* Where panels are in their rotation: the common part of this region is the struct cursor_table.
 * See delivery/cursor.c. */
extern const struct region cursor_region;

/* Subscribes to the hints that it needs. All stay valid. */
struct delivery *delivery_create(struct loop *loop, struct db *db, struct cursor_table *cursors);

/* For tests; 0 keeps what is. Before the loop runs. */
struct delivery_limits {
	size_t picture_bytes; /* of all panels; LIMIT_PICTURE_MEMORY */
	unsigned panels;      /* LIMIT_PANELS */
	unsigned sweep_ms;
	unsigned seen_ms;
	unsigned unused_ms;
};
void delivery_set_limits(struct delivery *delivery, const struct delivery_limits *limits);

/* Drops all panels' connections, without a CLOSE frame, and writes down when they were last seen.
 */
void delivery_drain(struct delivery *delivery);
/* After db_close() and http_server_close(), when the loop has run out; before db_destroy(). */
void delivery_destroy(struct delivery *delivery);

/* A change of a device was committed: tells its panel here and all other workers. */
void delivery_device_changed(struct delivery *delivery, struct id device_id, int64_t generation);

/* ---- pushes are answered in the order in which they were stored ----
 *
 * Two pushes to one device may be stored by different workers or instances, one right after the
 * other. The second one's answer waits until the first one's was given, which a hint tells; for at
 * most 300 ms, in case the first one's worker has died. */

/* Waits for its turn; embed it in what waits. */
struct push_turn {
	struct list node;		      /* private */
	struct deadline limit;		      /* private */
	struct delivery *delivery;	      /* private */
	int64_t after;			      /* private */
	void (*come)(struct push_turn *turn); /* later, from the loop */
};

/* True: may be answered now. False: turn->come() will be called. previous_generation: of the push
 * that was stored before this one. */
bool delivery_push_is_next(struct delivery *delivery, struct push_turn *turn, struct id device_id,
			   int64_t previous_generation);

/* The push of this generation is being answered in this turn of the loop: tells its panel here, and
 * all other workers. */
void delivery_push_answered(struct delivery *delivery, struct id device_id, int64_t generation);

/* Another version of an app was deployed: tells all workers, for what renders apps. */
void delivery_app_changed(struct delivery *delivery, struct id app_id, int64_t generation);

/* ---- the device link ---- */

/* Waits for a panel; embed it in what waits. */
struct panel_search {
	struct list node; /* private */
	/* Called later, on the loop. NULL: no such device, wrong key, disabled, or not known while
	 * the database is away or this worker stops. The panel is valid during this call. */
	void (*done)(struct panel_search *search, struct panel *panel);
	uint8_t key_hash[KEY_HASH_BYTES]; /* private */
	unsigned tries;			  /* private */
	struct delivery *delivery;	  /* private */
};

/* Finds a device for its panel and checks the key. True: *ret_panel is the answer, as done() would
 * have it, and done is never called. False: done will be called. */
bool delivery_find(struct delivery *delivery, struct panel_search *search,
		   const struct device_reference *reference, struct str key,
		   struct panel **ret_panel);

struct id panel_id(const struct panel *panel);

/* What a polling panel is given. */
struct poll_picture {
	struct str webp; /* in the arena, or static */
	int brightness;
	int64_t dwell_s;
};

/* The panel's next picture. is_peek: only looks, nothing advances. False: the picture has to be
 * fetched; search, which found the panel, is done once more then, and with that panel this is
 * called again: after the last try it always answers. */
bool delivery_poll(struct panel *panel, struct panel_search *search, bool is_peek,
		   struct arena *arena, struct poll_picture *ret_picture);

/* A small WebP for a device that is not known here. */
struct str delivery_unknown_picture(void);

/* Makes a request that is a WebSocket handshake the panel's connection. */
void delivery_connect(struct delivery *delivery, struct panel *panel, struct http_request *request);

/* Pictures on their way to panels.
 *
 * A worker keeps the devices whose panels it serves in memory (struct panel). What changes is told
 * by hints ("device 42 is now at generation 17"); the generation in the database decides, and a
 * slow reconciliation repairs what lost hints left behind. Losing the database disturbs no panel
 * that is known.
 *
 *   push handler --delivery_push_stored()--> this worker's panel
 *                --delivery_push_answered()--> a hint to all others
 *   hint "push:...", "device:..." --> the panel is loaded --> its links decide what to send
 *
 * This header is all that other folders call; src/delivery/delivery.c connects the modules behind
 * it, each of which knows only those before it:
 *
 *   cursor_table, pictures, change_hint -> panels -> loader, picture_fetcher, write_behind,
 *   push_order, stored_push -> lookups, reconciliation -> links, polling -> delivery */
#pragma once

#include "db/db.h"
#include "delivery/cursor_table.h"
#include "delivery/lookups.h"
#include "delivery/polling.h"
#include "delivery/push_order.h"
#include "delivery/stored_push.h"
#include "http/request.h"

struct delivery;

/* Subscribes to the hints that it needs. All stay valid. */
struct delivery *delivery_create(struct loop *loop, struct db *db, struct cursor_table *cursors);

/* For tests; 0 keeps what is. Before the loop runs. */
struct delivery_limits {
	size_t picture_bytes; /* of all panels; LIMIT_PICTURE_MEMORY */
	unsigned panels;      /* LIMIT_PANELS */
	unsigned reconciliation_ms;
	unsigned seen_ms;
	unsigned unused_ms;
};
void delivery_set_limits(struct delivery *delivery, const struct delivery_limits *limits);

/* Drops all panels' connections, without a CLOSE frame, and writes down when they were last seen.
 */
void delivery_drain(struct delivery *delivery);
/* After db_close() and http_server_close(), when the loop has run out; before db_destroy(). */
void delivery_destroy(struct delivery *delivery);

/* ---- changes ---- */

/* A change of a device was committed: tells its panel here and all other workers. */
void delivery_device_changed(struct delivery *delivery, struct id device_id, int64_t generation);
/* Another version of an app was deployed: tells all workers, for what renders apps. */
void delivery_app_changed(struct delivery *delivery, struct id app_id, int64_t generation);

/* A push was committed by this worker: its panel here shows the picture, of which a copy is kept,
 * unless something else came between; then the panel is loaded. */
void delivery_push_stored(struct delivery *delivery, struct id device_id,
			  const struct stored_push *push);
/* Whether the push may be answered now. False: turn->come() will be called. previous_generation: of
 * the push that was stored before this one. */
bool delivery_push_is_next(struct delivery *delivery, struct push_turn *turn, struct id device_id,
			   int64_t previous_generation);
/* The push of this generation is being answered in this turn of the loop: tells its panel here, and
 * all other workers. */
void delivery_push_answered(struct delivery *delivery, struct id device_id, int64_t generation);

/* ---- the device link ---- */

/* Finds a device for its panel and checks the key. True: *ret_panel is the answer, as done() would
 * have it, and done is never called. False: done will be called. */
bool delivery_find(struct delivery *delivery, struct panel_lookup *lookup,
		   const struct device_reference *reference, struct str key,
		   struct panel **ret_panel);

struct id delivery_panel_id(const struct panel *panel);

/* The panel's next picture. is_peek: only looks, nothing advances. False: the picture has to be
 * fetched; the look-up, which found the panel, is done once more then, and with that panel this is
 * called again: after the last try it always answers. */
bool delivery_poll(struct delivery *delivery, struct panel *panel, struct panel_lookup *lookup,
		   bool is_peek, struct arena *arena, struct poll_picture *ret_picture);

/* A small WebP for a device that is not known here. */
struct str delivery_unknown_picture(void);

/* Makes a request that is a WebSocket handshake the panel's connection. */
void delivery_connect(struct delivery *delivery, struct panel *panel, struct http_request *request);

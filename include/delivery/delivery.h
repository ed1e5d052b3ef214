/* Delivers pictures to panels.
 *
 * A worker keeps the devices whose panels it serves in memory (struct panel). Hints report changes
 * ("device 42 is now at generation 17"); the generation in the database decides, and a slow
 * reconciliation makes up for lost hints. While the database is unavailable, panels in memory
 * continue.
 *
 *   push handler --delivery_push_stored()--> this worker's panel
 *                --delivery_push_answered()--> a hint to all others
 *   hint "push:...", "device:..." --> the panel is loaded --> its connections decide what to send
 *
 * Other folders call this header only; src/delivery/delivery.c connects the modules behind it.
 * Each module knows only modules before it in this row:
 *
 *   cursor_table, change_table, account_shares, change_hint -> pictures -> panels -> following,
 *   render_keys
 *   -> loader, picture_fetcher, write_behind, panel_reports, push_order, orders,
 *   firmware_orders, stored_push, roaming
 *   -> lookups, reconciliation -> panel_connections, polling -> view_peers, leases, upcoming
 *   -> view_subscriptions -> expiry -> delivery */
#pragma once

#include "db/db.h"
#include "delivery/balance_region.h"
#include "delivery/change_table.h"
#include "delivery/cursor_table.h"
#include "delivery/lookups.h"
#include "delivery/polling.h"
#include "delivery/push_order.h"
#include "delivery/stored_push.h"
#include "delivery/upcoming.h"
#include "delivery/view_subscription.h"
#include "delivery/watch_region.h"
#include "domain/picture_hash.h"
#include "http/request.h"

struct delivery;
struct settings_key;

/* Subscribes to change hints. loop, db and shared, which holds cursor_region, change_region,
 * watch_region and rate_region, must outlive the delivery. worker: this process's number among
 * those that share the regions, from 0. Free with delivery_destroy(). */
struct delivery *delivery_create(struct loop *loop, struct db *db, struct region_map *shared,
				 unsigned worker);

/* Lets imported panels move to their new addresses: key decrypts second keys of devices, panel_url
 * is the start of their URLs. Without this call no panel moves. The arguments stay the caller's. */
void delivery_set_addresses(struct delivery *delivery, const struct settings_key *key,
			    const char *panel_url);

/* Limits for tests. Set them before the loop runs. A limit of 0 leaves the default. */
struct delivery_limits {
	size_t picture_bytes;	/* bytes of all panels' pictures; LIMIT_PICTURE_MEMORY */
	unsigned panels;	/* LIMIT_PANELS */
	unsigned subscriptions; /* LIMIT_VIEWS */
	unsigned reconciliation_ms;
	unsigned seen_ms;
	unsigned unused_ms;
	unsigned panel_stay_ms; /* none is moved to another instance */
};
void delivery_set_limits(struct delivery *delivery, const struct delivery_limits *limits);

/* Counts of this worker. */
struct delivery_counts {
	unsigned panels;    /* in memory */
	unsigned connected; /* panels with a WebSocket */
};

struct delivery_counts delivery_count(const struct delivery *delivery);

/* Sets the gauges of this worker's panels. Looks at all panels that have polled within a minute. */
void delivery_tell(const struct delivery *delivery);

/* Drops the connections of all panels, without a CLOSE frame, and stores in the database when the
 * panels were last online. */
void delivery_drain(struct delivery *delivery);
/* Call it after db_close() and http_server_close(), when the loop has ended, and before
 * db_destroy(). */
void delivery_destroy(struct delivery *delivery);

/* ---- changes ---- */

/* Reports a committed change of a device to its panel here and to all other workers. */
void delivery_device_changed(struct delivery *delivery, struct id device_id, int64_t generation);
/* Reports to all workers that another version of an app was deployed. The render keys of its
 * installations are read again, and rendered if they come next. */
void delivery_app_changed(struct delivery *delivery, struct id app_id, int64_t generation);
/* Reports to all workers that a version of an app waits for its check: one of them makes it. */
void delivery_version_uploaded(struct delivery *delivery, struct id version_id);
/* Reports to all workers that there is a verdict about a version. */
void delivery_version_checked(struct delivery *delivery, struct id version_id);

/* ---- renders of apps ---- */

/* Reports to the subscriber which apps come next on panels of this worker. The subscriber lives as
 * long as the delivery; there is only one. Without it this worker renders no apps, and its panels
 * show pictures that others have rendered.
 */
void delivery_subscribe_upcoming(struct delivery *delivery, struct upcoming_subscriber *subscriber);
/* Reports the stored result for a render key to the panels here, and to all other workers. */
void delivery_rendered(struct delivery *delivery, const uint8_t render_key[static RENDER_KEY_BYTES],
		       int64_t generation);
/* Demands a render key whose pause was ended, and reports its generation as delivery_rendered()
 * does. render_key: RENDER_KEY_BYTES, as the database has it. */
void delivery_retry(struct delivery *delivery, struct str render_key, struct id version_id,
		    struct id account_id, int64_t generation);
/* Does not demand the render key for so long, unless something new is reported about it. */
void delivery_put_off(struct delivery *delivery, const uint8_t render_key[static RENDER_KEY_BYTES],
		      uint64_t for_ms);

/* Notes a push that this worker has committed. Its panel here shows a copy of the picture, unless
 * something else changed the device before: then the panel is loaded. */
void delivery_push_stored(struct delivery *delivery, struct id device_id,
			  const struct stored_push *push);
/* Whether the push may be answered now. If not, returns false and calls turn->come() later.
 * previous_generation: that of the push that the database stored before this one. */
bool delivery_push_is_next(struct delivery *delivery, struct push_turn *turn, struct id device_id,
			   int64_t previous_generation);
/* Call it in the turn of the loop in which the push of this generation is answered. Reports that to
 * its panel here, and to all other workers. */
void delivery_push_answered(struct delivery *delivery, struct id device_id, int64_t generation);

/* ---- panel connections and polls ---- */

/* Finds a device for its panel and checks the key. Returns true with *ret_panel if that is known at
 * once; done() is not called then. Returns false if done() will be called. */
bool delivery_find(struct delivery *delivery, struct panel_lookup *lookup,
		   const struct device_reference *reference, struct str key,
		   struct panel **ret_panel);

/* Whether the device's panel is online: it has a WebSocket, or its next poll is not overdue.
 * last_online_us, has_connected: from the database, which also knows other instances, a minute
 * late. *ret_since_us: when the panel was last online. */
bool delivery_is_online(const struct delivery *delivery, struct id device_id,
			int64_t last_online_us, bool has_connected, int64_t *ret_since_us);

/* Whether this worker has the device's panel in memory and the key is right: then delivery_find()
 * needs no query. */
bool delivery_knows(const struct delivery *delivery, const struct device_reference *reference,
		    struct str key);

/* Works as delivery_knows(), for a former address, which the caller has set in the look-up. */
bool delivery_knows_alias(const struct delivery *delivery, const struct panel_lookup *lookup,
			  struct str key);

/* Whether the device's panel was seen last at this instance, and polled. */
bool delivery_is_polling(const struct delivery *delivery, struct id device_id);

/* Whether the device has several WebSockets at this worker, so that it is unclear which is the
 * panel's. */
bool delivery_has_several_connections(const struct delivery *delivery, struct id device_id);

/* Whether a WebSocket of the device at this worker may be somebody else's: it came by a former
 * address that can be guessed, without the key, from a public network. */
bool delivery_has_guessed(const struct delivery *delivery, struct id device_id);

struct id delivery_panel_id(const struct panel *panel);

/* Returns the panel's next picture. is_peek: the request is not from the panel, so the rotation
 * does not advance and the panel does not count as online. lookup: the look-up that found the
 * panel. Returns false if the picture must be fetched first: then lookup->done() is called once
 * more, and the caller tries again with the panel that it gets. The last try always answers. */
bool delivery_poll(struct delivery *delivery, struct panel *panel, struct panel_lookup *lookup,
		   bool is_peek, struct arena *arena, struct poll_picture *ret_picture);

/* Returns a small WebP for a panel that gets no other: it shows "unknown device" or, if the device
 * could not be looked up (the database is unavailable, or this worker stops), "no database".
 * lookup: NULL if none was made.
 */
struct str delivery_refusal_picture(const struct panel_lookup *lookup);

/* Subscribes to the view of a device, which is the account's. Set the subscriber's functions
 * before; they are called later, from the loop. Returns false if there are too many view
 * subscriptions. */
bool delivery_subscribe_view(struct delivery *delivery, struct view_subscriber *subscriber,
			     struct id device_id, struct id account_id);
void delivery_unsubscribe_view(struct view_subscriber *subscriber);

/* The picture with this hash that is built into the program, for panels that have nothing to show,
 * in the panel's size; data is NULL if there is no such picture. */
struct str delivery_built_in_picture(const uint8_t hash[static PICTURE_HASH_BYTES],
				     enum panel_size panel);

/* Turns a request that is a WebSocket handshake into a panel connection. lookup: the look-up that
 * found the panel. */
void delivery_connect(struct delivery *delivery, struct panel *panel,
		      const struct panel_lookup *lookup, struct http_request *request);
/* Takes the firmware version that a panel has sent in a poll. */
void delivery_told_version(struct delivery *delivery, struct panel *panel, struct str version);

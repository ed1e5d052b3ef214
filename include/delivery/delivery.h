/* Pictures on their way to panels.
 *
 * A worker keeps the devices whose panels it serves in memory (struct panel). Hints tell it of
 * changes ("device 42 is now at generation 17"); the generation in the database decides, and a
 * slow reconciliation repairs what lost hints left behind. While the database is unavailable,
 * panels that are in memory go on.
 *
 *   push handler --delivery_push_stored()--> this worker's panel
 *                --delivery_push_answered()--> a hint to all others
 *   hint "push:...", "device:..." --> the panel is loaded --> its connections decide what to send
 *
 * Other folders call this header only; src/delivery/delivery.c connects the modules behind it.
 * Each module knows only modules before it in this row:
 *
 *   cursor_table, change_table, account_shares, change_hint -> pictures -> panels -> render_keys ->
 *   loader, picture_fetcher, write_behind, panel_reports, push_order, orders, stored_push ->
 * lookups, reconciliation -> connections, polling -> leases, upcoming -> view_subscriptions ->
 * expiry -> delivery */
#pragma once

#include "db/db.h"
#include "delivery/change_table.h"
#include "delivery/cursor_table.h"
#include "delivery/lookups.h"
#include "delivery/polling.h"
#include "delivery/push_order.h"
#include "delivery/stored_push.h"
#include "delivery/upcoming.h"
#include "delivery/view_subscription.h"
#include "domain/picture_hash.h"
#include "http/request.h"

struct delivery;
struct settings_key;

/* Subscribes to change hints. loop, db and shared, which holds cursor_region, change_region and
 * rate_region, must outlive the delivery. worker: this process's number among those that share it,
 * from 0. */
struct delivery *delivery_create(struct loop *loop, struct db *db, struct region_map *shared,
				 unsigned worker);

/* How panels are led to their own addresses: key opens second keys of devices, panel_url is what
 * their URLs start with. Without this call no panel is. All stays the caller's. */
void delivery_set_addresses(struct delivery *delivery, const struct settings_key *key,
			    const char *panel_url);

/* Limits for tests, to be set before the loop runs. A limit of 0 leaves the default. */
struct delivery_limits {
	size_t picture_bytes;	/* of all panels; LIMIT_PICTURE_MEMORY */
	unsigned panels;	/* LIMIT_PANELS */
	unsigned subscriptions; /* LIMIT_VIEWS */
	unsigned reconciliation_ms;
	unsigned seen_ms;
	unsigned unused_ms;
};
void delivery_set_limits(struct delivery *delivery, const struct delivery_limits *limits);

/* Counts of this worker. */
struct delivery_counts {
	unsigned panels;    /* in memory */
	unsigned connected; /* of them, by a WebSocket */
};

struct delivery_counts delivery_count(const struct delivery *delivery);

/* Its panels as they are now, for the metrics. Looks at all that have polled within a minute. */
void delivery_tell(const struct delivery *delivery);

/* Drops the connections of all panels, without a CLOSE frame, and writes to the database when the
 * panels were last online. */
void delivery_drain(struct delivery *delivery);
/* After db_close() and http_server_close(), when the loop has run out; before db_destroy(). */
void delivery_destroy(struct delivery *delivery);

/* ---- changes ---- */

/* A change of a device was committed: tells its panel here and all other workers. */
void delivery_device_changed(struct delivery *delivery, struct id device_id, int64_t generation);
/* Another version of an app was deployed: tells all workers. The places of its installations are
 * read again, and rendered where they come next. */
void delivery_app_changed(struct delivery *delivery, struct id app_id, int64_t generation);
/* A version of an app was uploaded: tells all workers, one of which compiles it. */
void delivery_version_uploaded(struct delivery *delivery, struct id version_id);

/* ---- what apps render ---- */

/* The subscriber learns which apps come next on panels of this worker. It stays as long as the
 * delivery; there is one. Without it no app is rendered, and panels show what others have rendered.
 */
void delivery_subscribe_upcoming(struct delivery *delivery, struct upcoming_subscriber *subscriber);
/* Reports the stored result for a render key to the panels here, and to all other workers. */
void delivery_rendered(struct delivery *delivery, const uint8_t render_key[static RENDER_KEY_BYTES],
		       int64_t generation);
/* The render key is not demanded for so long, unless something new is heard of it. */
void delivery_put_off(struct delivery *delivery, const uint8_t render_key[static RENDER_KEY_BYTES],
		      uint64_t for_ms);

/* Notes a push that this worker has committed. Its panel here shows a copy of the picture, unless
 * something else changed the device before: then the panel is loaded. */
void delivery_push_stored(struct delivery *delivery, struct id device_id,
			  const struct stored_push *push);
/* Whether the push may be answered now. False: turn->come() will be called. previous_generation:
 * of the push that the database stored before this one. */
bool delivery_push_is_next(struct delivery *delivery, struct push_turn *turn, struct id device_id,
			   int64_t previous_generation);
/* The caller answers the push of this generation in this turn of the loop. Tells its panel here,
 * and all other workers. */
void delivery_push_answered(struct delivery *delivery, struct id device_id, int64_t generation);

/* ---- the device link ---- */

/* Finds a device for its panel and checks the key. True: *ret_panel is what done() would get, and
 * done() is never called. False: done() will be called. */
bool delivery_find(struct delivery *delivery, struct panel_lookup *lookup,
		   const struct device_reference *reference, struct str key,
		   struct panel **ret_panel);

/* Whether the device's panel is online: it has a WebSocket, or is to poll again. last_online_us,
 * has_connected: from the database, which also knows of other instances, a minute late.
 * *ret_since_us: when the panel was last online. */
bool delivery_is_online(const struct delivery *delivery, struct id device_id,
			int64_t last_online_us, bool has_connected, int64_t *ret_since_us);

/* Whether this worker has the device's panel in memory and the key is right: what delivery_find()
 * then does costs no look-up of the device. */
bool delivery_knows(const struct delivery *delivery, const struct device_reference *reference,
		    struct str key);

/* The same for a former address, which the caller has set in the look-up. */
bool delivery_knows_alias(const struct delivery *delivery, const struct panel_lookup *lookup,
			  struct str key);

/* Whether the device has several WebSockets at this worker: which of them is the panel's? */
bool delivery_has_several_connections(const struct delivery *delivery, struct id device_id);

struct id delivery_panel_id(const struct panel *panel);

/* The panel's next picture. is_peek: it is not the panel that asks, so the rotation does not
 * advance and the panel was not seen. lookup: the look-up that found the panel. False: the picture
 * has to be fetched; lookup->done() is called once more after that, and the caller tries again with
 * the panel that it gets. The last try always answers. */
bool delivery_poll(struct delivery *delivery, struct panel *panel, struct panel_lookup *lookup,
		   bool is_peek, struct arena *arena, struct poll_picture *ret_picture);

/* A small WebP for a panel that gets no other: it says "unknown device" or, where nobody could look
 * (the database is unavailable, or this worker stops), "no database". lookup: NULL, where none was
 * made.
 */
struct str delivery_refusal_picture(const struct panel_lookup *lookup);

/* Looks at a device, which is the account's. The caller has set the subscriber's functions, which
 * are called later, from the loop. False: too many devices are watched. */
bool delivery_subscribe_view(struct delivery *delivery, struct view_subscriber *subscriber,
			     struct id device_id, struct id account_id);
void delivery_unsubscribe_view(struct view_subscriber *subscriber);

/* The picture with this hash that is built into the program, for panels that have nothing to show;
 * data is NULL where it has none. */
struct str delivery_built_in_picture(const uint8_t hash[static PICTURE_HASH_BYTES]);

/* Makes a panel connection of the panel out of a request that is a WebSocket handshake. lookup: the
 * look-up that found the panel. */
void delivery_connect(struct delivery *delivery, struct panel *panel,
		      const struct panel_lookup *lookup, struct http_request *request);
/* The version of its firmware that a panel has told in a poll. */
void delivery_told_version(struct delivery *delivery, struct panel *panel, struct str version);

/* Panel connections: the WebSocket connections of panels. Each has a playback of its own, which
 * decides what to send. If many connections change together, they are updated for half a
 * millisecond in each turn of the loop. */
#pragma once

#include "domain/playback.h"
#include "firmware_orders.h"
#include "following.h"
#include "http/websocket.h"
#include "loader.h"
#include "loop/budgeted_queue.h"
#include "orders.h"
#include "panel_links.h"
#include "panel_reports.h"
#include "picture_fetcher.h"
#include "task/rate.h"
#include "write_behind.h"

/* Panel connection, in panel->connections. */
struct panel_connection {
	struct list node;
	struct panel_connections *connections;
	struct panel *panel; /* NULL once the connection was dropped */
	struct websocket *websocket;
	struct panel_way way;
	struct playback playback;
	int64_t connected_us;  /* wall clock */
	int64_t position_told; /* rotation_position in the cursor table */
	int64_t push_counted;  /* generation of the last push that the metrics have counted */
	bool has_introduced_itself;
	uint8_t frames_left; /* frames left of those taken from the device's bucket */
	struct deadline deadline;
	struct list update; /* in connections->updates, while playback must decide again */
};

struct panel_connections {
	struct loop *loop;
	struct loader *loader;
	struct picture_fetcher *fetcher;
	struct write_behind *write_behind;
	struct panel_reports *reports;
	struct orders *orders;
	struct firmware_orders *firmware_orders;
	const struct cursors *cursors;
	struct rate_table *rates; /* shared by the workers of this instance */
	/* Called before the panel's connection is noted, if it has no other here. */
	void (*on_come)(void *context, struct panel *panel);
	/* Called if the panel may show something else, or one of its connections has ended. */
	void (*on_change)(void *context, struct panel *panel);
	void *context;
	struct panel_links links;
	struct budgeted_queue updates;	/* of struct panel_connection */
	struct playback_item item_sent; /* sent by this update; kind PLAYBACK_NOTHING: none */
};

/* Set all members except links, updates and item_sent before. */
void panel_connections_init(struct panel_connections *connections);
/* Call it when no panel connection is left. */
void panel_connections_finish(struct panel_connections *connections);

/* Turns a request that is a WebSocket handshake into a connection of the panel. A panel that has
 * too many connections loses the oldest. */
void panel_connections_connect(struct panel_connections *connections, struct panel *panel,
			       const struct panel_way *way, struct http_request *request);
/* Whether each panel connection may be told the device's new URL (panel_may_be_led()). */
static inline bool panel_connections_may_be_led(const struct panel *panel)
{
	list_for_each (node, &panel->connections)
		if (!panel_may_be_led(panel,
				      &container_of(node, struct panel_connection, node)->way))
			return false;
	return true;
}
/* Sends an order that was taken for the panel, if it has a panel connection. */
void panel_connections_order(struct panel_connections *connections, struct panel *panel);
/* Lets the playback of each connection of the panel, and of its followers, decide again, later. */
void panel_connections_update(struct panel_connections *connections, struct panel *panel);
/* Works as panel_connections_update(), for the followers alone. */
void panel_connections_update_followers(struct panel_connections *connections,
					const struct panel *leader);
/* Ends the panel's connections, without a CLOSE frame. */
void panel_connections_drop(struct panel *panel);
/* Ends connections that used an address or a key that is no longer valid, or all if the device is
 * disabled. */
void panel_connections_drop_old(struct panel *panel);
/* Whether one of the panel's connections used the second key. */
static inline bool panel_connections_have_moved(const struct panel *panel)
{
	if (!panel->ways || !panel->ways->has_second_key)
		return false;
	list_for_each (node, &panel->connections)
		if (panel_has_second_key(panel,
					 &container_of(node, struct panel_connection, node)->way))
			return true;
	return false;
}

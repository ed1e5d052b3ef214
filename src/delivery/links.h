/* Links: the WebSocket connections of panels. Each has a playback of its own, which decides what to
 * send. Where many links change together, they are updated for half a millisecond in each turn of
 * the loop. */
#pragma once

#include "domain/playback.h"
#include "http/websocket.h"
#include "loader.h"
#include "loop/budgeted_queue.h"
#include "orders.h"
#include "panel_reports.h"
#include "picture_fetcher.h"
#include "task/rate.h"
#include "write_behind.h"

/* Panel connection; lies in panel->links. */
struct link {
	struct list node;
	struct links *links;
	struct panel *panel; /* NULL once the link was dropped */
	struct websocket *websocket;
	struct panel_way way;
	struct playback playback;
	int64_t connected_us;  /* wall clock */
	int64_t position_told; /* the rotation_position that the cursor table has */
	int64_t push_counted;  /* the generation of the last push that the metrics know of */
	bool has_introduced_itself;
	uint8_t frames_left; /* of those that were taken from the device's bucket */
	struct deadline deadline;
	struct list update; /* in links->updates, while playback is to decide again */
};

struct links {
	struct loop *loop;
	struct loader *loader;
	struct picture_fetcher *fetcher;
	struct write_behind *write_behind;
	struct panel_reports *reports;
	struct orders *orders;
	const struct cursors *cursors;
	struct rate_table *rates; /* shared by the workers of this instance */
	/* The panel may show something else, or a link of it has gone. */
	void (*on_change)(void *context, struct panel *panel);
	void *context;
	struct budgeted_queue updates;	/* of struct link */
	struct playback_item item_sent; /* by this update; kind PLAYBACK_NOTHING: none */
};

/* The caller has set all but updates and item_sent. */
void links_init(struct links *links);
/* No link is left. */
void links_finish(struct links *links);

/* Makes a link of the panel out of a request that is a WebSocket handshake. A panel that has too
 * many links loses the oldest. */
void links_connect(struct links *links, struct panel *panel, const struct panel_way *way,
		   struct http_request *request);
/* Sends an order that was taken for the panel, if it has a link. */
void links_order(struct links *links, struct panel *panel);
/* The playback of each link of the panel decides again, later. */
void links_update(struct links *links, struct panel *panel);
/* Ends the panel's links, without a CLOSE frame. */
void links_drop(struct panel *panel);
/* Ends those which have come by a way that is closed, or all of a device that is disabled. */
void links_drop_old(struct panel *panel);
/* Whether one of them has come by the second key. */
bool links_have_moved(const struct panel *panel);

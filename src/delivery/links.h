/* Links: the WebSocket connections of panels. Each has a playback of its own, which decides what is
 * sent; links that change together are written to for half a millisecond a turn of the loop. */
#pragma once

#include "domain/playback.h"
#include "http/websocket.h"
#include "loader.h"
#include "loop/budgeted_queue.h"
#include "picture_fetcher.h"
#include "write_behind.h"

/* Of one panel; lies in panel->links. */
struct link {
	struct list node;
	struct links *links;
	struct panel *panel; /* NULL once it was dropped */
	struct websocket *websocket;
	struct playback playback;
	int64_t position_told; /* rotation_position that is in the cursor */
	uint64_t minute_ms;    /* since when messages are counted */
	unsigned messages;
	bool has_introduced_itself;
	struct deadline deadline;
	struct list update; /* in links->updates: decides again */
};

struct links {
	struct loop *loop;
	struct loader *loader;
	struct picture_fetcher *fetcher;
	struct write_behind *write_behind;
	struct cursor_table *cursors;
	struct budgeted_queue updates; /* of struct link */
	int64_t position_sent;	       /* of the installation that an update has sent; -1: none */
};

/* All but updates and position_sent are set. */
void links_init(struct links *links);
/* No link is left. */
void links_finish(struct links *links);

/* Makes a request that is a WebSocket handshake the panel's connection; the oldest of too many is
 * dropped. */
void links_connect(struct links *links, struct panel *panel, struct http_request *request);
/* The panel's links decide again, later. */
void links_update(struct links *links, struct panel *panel);
/* Ends the panel's links, without a CLOSE frame. */
void links_drop(struct panel *panel);

/* The device link by WebSocket, kept up as the firmware keeps it up.
 *
 *   WAITING -> CONNECTING -> UPGRADING -> OPEN
 *      ^           |             |          |     any end: on_closed, then WAITING for a while
 *      +-----------+-------------+----------+
 */
#pragma once

#include "loop/loop.h"
#include "tls.h"
#include "url.h"

enum {
	LINK_TEXT_MAX = 8 * 1024, /* the firmware's buffer */
	LINK_CONNECT_MS = 10 * 1000,
	/* How long it stays away, see device-link.md: after a lost or plainly closed connection,
	 * after a 404, and after a CLOSE frame. */
	LINK_RETRY_MS = 10 * 1000,
	LINK_RETRY_NOT_FOUND_MS = 6 * 1000,
	LINK_RETRY_CLOSE_FRAME_MS = 5 * 60 * 1000,
	LINK_PING_MS = 10 * 1000,
	LINK_PONG_TIMEOUT_MS = 120 * 1000,
};

struct link_config {
	struct panel_url url;
	struct tls_client *tls; /* NULL for ws:// */
	int64_t retry_ms;	/* negative: as the firmware waits */
	uint64_t ping_ms;
	uint64_t pong_timeout_ms;
};

struct link_closed {
	int status;	     /* the HTTP answer's, where there was one that was not 101; or 0 */
	uint16_t close_code; /* of a CLOSE frame; 0: none came */
	bool was_open;
	const char *reason;
	uint64_t retry_ms;
};

struct link_events {
	void (*on_connecting)(void *context);
	void (*on_open)(void *context, size_t answer_bytes);
	/* One whole message of the server. Views are valid during the call. */
	void (*on_text)(void *context, struct str text);
	void (*on_binary)(void *context, const uint8_t *data, size_t size);
	/* The server did what a panel cannot take; what it sent was dropped. */
	void (*on_violation)(void *context, const char *what);
	void (*on_pong)(void *context);
	void (*on_closed)(void *context, const struct link_closed *closed);
};

struct link;

/* Starts connecting. config is copied. No call comes before this one has returned. */
struct link *link_start(struct loop *loop, const struct link_config *config,
			const struct link_events *events, void *context);

/* Ends the connection without a CLOSE frame, after what was sent, and frees. No call comes after
 * it. Not from inside one of the calls above: use a struct later. NULL is fine. */
void link_stop(struct link *link);

/* Drops the connection and comes back after the usual time, as after a reboot. Same rule. */
void link_reconnect(struct link *link);

/* Sends a message; false when the link is not open. */
bool link_send_text(struct link *link, struct str text);

/* The device link (device-link.md), kept up as the firmware keeps it up: by WebSocket, or by
 * polling with one GET a picture, each on a connection of its own.
 *
 *   WAITING --> CONNECTING --> ASKED --> OPEN (WebSocket) or BODY (poll)
 *      ^             |           |         |
 *      +-------------+-----------+---------+   any end; it comes back after a while
 */
#pragma once

#include "events.h"
#include "picture.h"
#include "transport.h"

#include <wire/head.h>
#include <wire/websocket.h>

enum {
	LINK_HEAD_MAX = 16 * 1024,
	LINK_TARGET_MAX = 1536,
};

struct link_config {
	struct wire_url url;
	char target[LINK_TARGET_MAX];	 /* path and query, starts with '/' */
	char bearer[LINK_TARGET_MAX];	 /* the key; empty: none */
	char shown[2 * LINK_TARGET_MAX]; /* the URL without its key, for people and logs */
	const char *firmware_version;
	int64_t retry_ms; /* negative: as the firmware waits */
	uint64_t ping_ms;
	uint64_t pong_timeout_ms;
};

struct link_picture {
	const uint8_t *data; /* valid during the call */
	size_t size;
	int brightness; /* of a polled picture's header; -1: missing, or not a number */
	int dwell_s;	/* of a polled picture's header; -1: missing, or not a number */
};

struct link_events {
	void (*on_open)(void *context); /* a WebSocket */
	void (*on_text)(void *context, const char *text, size_t size);
	/* A polling link makes its next request at link_poll() only. */
	void (*on_picture)(void *context, const struct link_picture *picture);
	/* The server refused the first request: it does not know the device, or its key. The link
	 * comes back as after any other end. */
	void (*on_refused)(void *context, int status);
	/* Something for the status line. */
	void (*on_state)(void *context, const char *text);
};

enum link_state { LINK_WAITING, LINK_CONNECTING, LINK_ASKED, LINK_OPEN, LINK_BODY };

/* Must not move, and stays until the loop has run out of handles after link_stop(). */
struct link {
	const struct link_config *config;
	struct wire_tls_config *tls; /* NULL: plain */
	struct events *log;
	const struct link_events *events;
	void *context;
	uv_timer_t due; /* of the next attempt */
	uv_timer_t ping;
	uv_timer_t timeout; /* of what is waited for: the connection, an answer, a pong */
	enum link_state state;
	bool was_accepted;	     /* at any time */
	struct transport *transport; /* NULL while waiting */
	/* The answer to the request. */
	char head_text[LINK_HEAD_MAX];
	size_t head_size;
	struct wire_head head;
	struct wire_parser parser;
	char accept[WIRE_WEBSOCKET_ACCEPT_LENGTH + 1]; /* what the server must answer */
	bool is_accepted;
	bool has_upgrade;
	bool has_connection;
	bool has_extras; /* a subprotocol or an extension: nobody asked for one */
	struct link_picture picture;
	uint8_t body[PICTURE_BYTES_MAX];
	bool body_too_large;
	struct wire_websocket_reader reader; /* in LINK_OPEN */
	uint16_t close_code;
	bool close_received;
};

/* Starts connecting, from the loop. config and log must stay valid. tls: NULL if the URL is for
 * plain TCP. */
void link_start(struct link *link, uv_loop_t *loop, const struct link_config *config,
		struct wire_tls_config *tls, struct events *log, const struct link_events *events,
		void *context);

/* Ends the connection without a CLOSE frame, after what was sent. This and the next one not from
 * inside one of the calls above. */
void link_stop(struct link *link);

/* Drops the connection and comes back after the usual time, as after a reboot. */
void link_reconnect(struct link *link);

/* Asks for the next picture: once after each on_picture, when that one has come on. */
void link_poll(struct link *link);

/* Sends a message; false when there is no open WebSocket. */
bool link_send_text(struct link *link, const char *text, size_t size);

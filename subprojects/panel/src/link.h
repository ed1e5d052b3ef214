/* The device link, with the firmware's timings: by WebSocket, or by polling with one GET per
 * picture, each on its own connection.
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
	char shown[2 * LINK_TARGET_MAX]; /* the URL without its key, for messages and logs */
	struct curl_blob authorities;	 /* certificates to trust; length 0: the system's */
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
	void (*on_open)(void *context); /* called for a WebSocket only */
	void (*on_text)(void *context, const char *text, size_t size);
	/* Called for each picture. A polling link makes its next request only at link_poll(). */
	void (*on_picture)(void *context, const struct link_picture *picture);
	/* Called if the server refuses the first request, since it does not know the device or its
	 * key. The link reconnects as after any other end. */
	void (*on_refused)(void *context, int status);
	/* Called with a text for the status line. */
	void (*on_state)(void *context, const char *text);
};

enum link_state { LINK_WAITING, LINK_CONNECTING, LINK_ASKED, LINK_OPEN, LINK_BODY };

/* Must not move, and must stay valid until the loop has no more handles after link_stop(). */
struct link {
	const struct link_config *config;
	struct events *log;
	const struct link_events *events;
	void *context;
	uv_timer_t due; /* for the next attempt */
	uv_timer_t ping;
	uv_timer_t timeout; /* for the connection, an answer or a pong */
	enum link_state state;
	bool was_accepted;	     /* the server has accepted a request at any time */
	struct transport *transport; /* NULL while waiting */
	/* State of the answer to the request. */
	char head_text[LINK_HEAD_MAX];
	size_t head_size;
	struct wire_head head;
	struct wire_parser parser;
	char accept[WIRE_WEBSOCKET_ACCEPT_LENGTH + 1]; /* what the server must answer */
	bool is_accepted;
	bool has_upgrade;
	bool has_connection;
	bool has_extras; /* the answer names a subprotocol or an extension, which was not requested
			  */
	struct link_picture picture;
	uint8_t body[PICTURE_BYTES_MAX];
	bool body_too_large;
	struct wire_websocket_reader reader; /* in LINK_OPEN */
	uint16_t close_code;
	bool close_received;
};

/* Starts connecting in the loop. config, log and events must stay valid. */
void link_start(struct link *link, uv_loop_t *loop, const struct link_config *config,
		struct events *log, const struct link_events *events, void *context);

/* Ends the connection without a CLOSE frame, after sending what was written. This and the next
 * function must not be called from inside the callbacks above. */
void link_stop(struct link *link);

/* Drops the connection and reconnects after the usual time, as after a reboot. */
void link_reconnect(struct link *link);

/* Requests the next picture: call it once after each on_picture, when that picture is displayed. */
void link_poll(struct link *link);

/* Sends a message. Returns false if there is no open WebSocket. */
bool link_send_text(struct link *link, const char *text, size_t size);

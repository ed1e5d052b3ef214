/* A WebSocket between its socket and its frames. */
#pragma once

#include "base/buffer.h"
#include "http/connection_state.h"
#include "http/websocket.h"
#include "loop/loop.h"

#include <wire/websocket.h>

struct websocket_early;

struct websocket {
	struct http_transport *socket;
	struct http_connections *connections; /* what the server's connections share */
	struct http_upgrade upgrade;
	const struct websocket_events *events;
	void *owner;
	struct deadline deadline; /* for what is next: ping, silence, a stalled peer, the end */
	uint64_t heard_ms;	  /* when the peer last sent something */
	uint64_t ping_ms;	  /* when the next ping is due */
	struct wire_websocket_reader reader;
	struct websocket_early *early; /* bytes that came before the handshake's answer */
	bool is_ending;		       /* both sides sent CLOSE; the TCP connection ends */
};

extern const struct wire_websocket_rules websocket_rules;

/* Takes what the peer sent, which is unmasked in place, and calls the events. */
enum websocket_read {
	WEBSOCKET_READ_ON,     /* all is well */
	WEBSOCKET_READ_CLOSED, /* the peer sent CLOSE, it was answered */
	WEBSOCKET_READ_BROKEN, /* the protocol was broken, or a message too large */
};
enum websocket_read websocket_reader_feed(struct websocket *websocket, struct str data);

/* Sends frames; false when that dropped the WebSocket. */
bool websocket_send_raw(struct websocket *websocket, const struct str *parts, unsigned count);

/* Sets the deadline for the next moment at which something may have to be done. */
void websocket_set_deadline(struct websocket *websocket);

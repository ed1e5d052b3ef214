/* Internal parts of a WebSocket. */
#pragma once

#include "base/buffer.h"
#include "http/connection_state.h"
#include "http/websocket.h"
#include "loop/loop.h"

#include <wire/websocket.h>

struct websocket_parked;

struct websocket {
	struct http_transport *socket;
	struct http_connections *connections; /* shared state of the server's connections */
	struct http_upgrade upgrade;
	const struct websocket_events *events;
	void *owner;
	struct deadline deadline; /* next event: ping, silence, a stalled peer, or the end */
	uint64_t heard_ms;	  /* when the peer last sent something */
	uint64_t ping_ms;	  /* when the next ping is due */
	struct wire_websocket_reader reader;
	struct websocket_parked *parked; /* bytes of the peer that wait for a turn */
	struct http_unsent_entry unsent;
	uint32_t minute; /* minute of the loop's time in which the counted frames came */
	uint32_t frames : 31;
	bool is_ending : 1; /* both sides sent CLOSE; the TCP connection ends */
};

extern const struct wire_websocket_rules websocket_rules;
extern const struct http_unsent_owner websocket_unsent_owner;

/* Frames that are processed in a row before others get their turn, and bytes after which no further
 * frame is: each byte of a ping is read, unmasked and sent back. */
enum { WEBSOCKET_FRAMES_IN_A_ROW = 256, WEBSOCKET_BYTES_IN_A_ROW = 8 * 1024 };

/* Processes the peer's bytes, unmasking them in place, and calls the events. Removes processed
 * bytes from *data. The answers to pings are sent in one write. */
enum websocket_read {
	WEBSOCKET_READ_ON,     /* success; remaining frames may have to wait for their turn */
	WEBSOCKET_READ_CLOSED, /* the peer sent CLOSE, which was answered */
	WEBSOCKET_READ_BROKEN, /* the protocol was broken, a message too large, or frames too many
				*/
};
enum websocket_read websocket_reader_feed(struct websocket *websocket, struct str *data);

/* Sends frames. Returns false if that dropped the WebSocket. */
bool websocket_send_raw(struct websocket *websocket, const struct str *parts, unsigned count);

/* Adds a control frame to those that websocket_send_answers() sends, or that precede the next
 * message. There is room for the answers to WEBSOCKET_BYTES_IN_A_ROW. */
void websocket_add_answer(struct websocket *websocket, enum wire_opcode opcode, struct str payload);
void websocket_send_answers(struct websocket *websocket);

/* Updates the unsent output of this WebSocket. If the total is too large, a client is dropped
 * later.
 */
void websocket_count_pending(struct websocket *websocket);

/* Sets the deadline for the next event. */
void websocket_set_deadline(struct websocket *websocket);

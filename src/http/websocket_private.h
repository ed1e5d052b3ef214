/* A WebSocket and its framing. */
#pragma once

#include "base/buffer.h"
#include "http/socket.h"
#include "http/websocket.h"
#include "loop/loop.h"

struct websocket_reader;
struct websocket_early;

struct websocket {
	struct http_socket *socket;
	struct list node; /* of the server's WebSockets */
	const struct websocket_events *events;
	void *owner;
	struct deadline deadline; /* for what is next: ping, silence, a stalled peer, the end */
	uint64_t heard_ms;	  /* when the peer last sent something */
	uint64_t ping_ms;	  /* when the next ping is due */
	struct websocket_reader *reader; /* NULL between frames */
	struct websocket_early *early;	 /* what came before the handshake was answered */
	bool is_ending; /* the peer closed; ours is sent, the TCP connection ends */
};

enum { WEBSOCKET_HEADER_BYTES_MAX = 10, WEBSOCKET_ACCEPT_LENGTH = 28 };

enum websocket_opcode {
	WEBSOCKET_TEXT = 1,
	WEBSOCKET_BINARY = 2,
	WEBSOCKET_PING = 9,
	WEBSOCKET_PONG = 10,
};

/* The header of a whole, unmasked frame (RFC 6455 section 5.2); its length. */
size_t websocket_frame_header(enum websocket_opcode opcode, uint64_t length,
			      uint8_t ret_header[static WEBSOCKET_HEADER_BYTES_MAX]);

/* Sec-WebSocket-Accept for a key (RFC 6455 section 4.2.2), and a NUL. */
void websocket_accept_key(struct str key, char ret_text[static WEBSOCKET_ACCEPT_LENGTH + 1]);

/* Whether a comma-separated list has this token, in either case. */
bool token_list_has(struct str list, struct str token);

/* Reads frames. A reader is made when bytes come and none is there. */
enum websocket_read {
	WEBSOCKET_READ_ON,     /* all is well */
	WEBSOCKET_READ_CLOSED, /* the peer sent CLOSE, it was answered */
	WEBSOCKET_READ_BROKEN, /* the protocol was broken, or a message too large */
};
enum websocket_read websocket_reader_feed(struct websocket *websocket, struct str data);
void websocket_reader_free(struct websocket *websocket);

/* Frames of the reader's own: PONG and CLOSE. */
bool websocket_send_raw(struct websocket *websocket, const struct str *parts, unsigned count);

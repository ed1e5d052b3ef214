/* The server side of RFC 6455, after the upgrade of an HTTP request.
 *
 * Frames are read by subprojects/wire, which holds memory only while a message is incomplete: an
 * idle WebSocket costs little more than its socket. No extension and no subprotocol is negotiated.
 * The server pings every 30 s and drops a peer that was silent for 60 s, or that sends more frames
 * of any kind than LIMIT_WEBSOCKET_FRAMES_PER_MINUTE. The frames that it takes from a peer in one
 * turn are limited, so that other clients do not notice. */
#pragma once

#include "http/request.h"

struct websocket;

struct websocket_events {
	/* Called with a complete text or binary message, valid during the call. */
	void (*on_text)(struct websocket *websocket, struct str text);
	void (*on_binary)(struct websocket *websocket, struct str data);
	/* Called for any frame, pings and pongs included: the peer is alive. May be NULL. */
	void (*on_alive)(struct websocket *websocket);
	/* Called when the socket took all unsent output: websocket_pending_bytes() is 0 again, and
	 * the next message can be sent. Called from the loop, never inside another call. May be
	 * NULL. */
	void (*on_drained)(struct websocket *websocket);
	/* Called when the peer left, was silent or broke the protocol, or websocket_drop() was
	 * called. Called exactly once, later, never inside another call. Afterwards the websocket
	 * is invalid. */
	void (*on_closed)(struct websocket *websocket);
};

/* Whether this is a well-formed opening handshake (RFC 6455 section 4.2.1). */
bool websocket_is_handshake(const struct http_request *request);

/* Answers 101 (less than 1,024 bytes) and gives up the request. events must outlive the WebSocket.
 * Returns NULL if the client has left already; the request is gone then, too. */
struct websocket *websocket_accept(struct http_request *request,
				   const struct websocket_events *events, void *owner);

void *websocket_owner(const struct websocket *websocket);

/* Sends one unfragmented message. Tries to write at once; only what the socket does not take is
 * copied. A peer is dropped if it takes nothing for LIMIT_WRITE_STALL_MS, or if its unsent output
 * would exceed LIMIT_WEBSOCKET_PENDING_BYTES. If the unsent output of all clients of a server
 * exceeds LIMIT_PENDING_BYTES, the client with most is dropped. A sender that will soon have a
 * newer message should wait until nothing is pending. Ignored after websocket_drop(). */
void websocket_send_text(struct websocket *websocket, struct str text);
void websocket_send_binary(struct websocket *websocket, struct str data);

/* Collect the messages between both calls, and send them in as few writes as possible. The messages
 * must stay valid until the second call: only small parts are copied. Only one WebSocket of a
 * process may have a batch at a time. */
void websocket_batch_begin(struct websocket *websocket);
void websocket_batch_send(struct websocket *websocket);

/* Bytes of unsent output. */
size_t websocket_pending_bytes(const struct websocket *websocket);

/* Ends the TCP connection without a CLOSE frame: after a CLOSE frame panels stay away for minutes.
 * Unsent output is dropped. on_closed is called later. */
void websocket_drop(struct websocket *websocket);

/* The server side of RFC 6455, after the upgrade of an HTTP request.
 *
 * Frames are read by subprojects/wire, which holds memory only while a message is incomplete: an
 * idle WebSocket costs little more than its socket. No extension and no subprotocol is negotiated.
 * The server pings every 30 s and drops a peer that was silent for 60 s, or that sends more than
 * LIMIT_WEBSOCKET_FRAMES_PER_MINUTE, whatever they are. Of one peer's frames it takes so many a
 * turn that the others do not notice. */
#pragma once

#include "http/request.h"

struct websocket;

struct websocket_events {
	/* A whole text or binary message; data is valid during the call. */
	void (*on_text)(struct websocket *websocket, struct str text);
	void (*on_binary)(struct websocket *websocket, struct str data);
	/* Any frame came, a ping or pong too: the peer is alive. May be NULL. */
	void (*on_alive)(struct websocket *websocket);
	/* All that had to wait was taken by the socket: websocket_pending_bytes() is 0 again, and
	 * the next message may go out. Called from the loop, never inside another call. May be
	 * NULL. */
	void (*on_drained)(struct websocket *websocket);
	/* The peer left, was silent or broke the protocol, or websocket_drop() was called. Called
	 * exactly once, later, never inside another call. The websocket is gone after it. */
	void (*on_closed)(struct websocket *websocket);
};

/* Whether this is a well-formed opening handshake (RFC 6455 section 4.2.1). */
bool websocket_is_handshake(const struct http_request *request);

/* Answers 101 (all of it under 1,024 bytes) and gives the request up. events must stay valid. NULL
 * when the client has left already; the request is gone then, too. */
struct websocket *websocket_accept(struct http_request *request,
				   const struct websocket_events *events, void *owner);

void *websocket_owner(const struct websocket *websocket);

/* Sends one unfragmented message. Tries to write at once; only what the socket does not take is
 * copied. A peer is dropped when it takes nothing for LIMIT_WRITE_STALL_MS, or when more than
 * LIMIT_WEBSOCKET_PENDING_BYTES would wait for it. Where more than LIMIT_PENDING_BYTES wait for all
 * clients of a server, the one is dropped for which most waits. A sender that has a newer message
 * soon waits until nothing is pending. Ignored after websocket_drop(). */
void websocket_send_text(struct websocket *websocket, struct str text);
void websocket_send_binary(struct websocket *websocket, struct str data);

/* Between these two, the batch collects the messages, so that they leave in as few writes as
 * possible. The messages must stay valid until then: only small parts are copied. One WebSocket of
 * a process has a batch at a time. */
void websocket_batch_begin(struct websocket *websocket);
void websocket_batch_send(struct websocket *websocket);

/* Bytes accepted but not yet taken by the socket. */
size_t websocket_pending_bytes(const struct websocket *websocket);

/* Ends the TCP connection without a CLOSE frame: after one, panels stay away for minutes. What is
 * pending is dropped. on_closed is called later. */
void websocket_drop(struct websocket *websocket);

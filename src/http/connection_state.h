/* An HTTP connection and its states: requests come one after the other, one is at work at a time.
 *
 *              first byte        head complete       http_respond()
 *      +-> IDLE ---------> HEAD -------------> WORKING -----------> WRITING
 *      |                     |                 |  | ^                ^|  |
 *      |              rejected or too late     |  v | done()         ||  |
 *      |                     +--> WRITING      | BODY                ||  |
 *      |                                       +------> STREAMING ---+|  |
 *      |                                http_respond_stream()  ended  |  |
 *      +--------------------------- written, all was read ------------+  |
 *      +--- the rest was dropped --- DISCARDING <-- body left unread ----+
 *                                        v                               |
 *           CLOSING <------------- LINGERING <----- the connection ends -+
 *
 * From every state to CLOSING: the peer left, the server closes, a deadline. From WORKING to
 * UPGRADED: the transport is a WebSocket's now.
 *
 * What comes in IDLE, HEAD, BODY, DISCARDING and LINGERING is used at once; in the other states it
 * is parked, and while something is parked nothing is read: that stops the client. */
#pragma once

#include "base/buffer.h"
#include "http/date.h"
#include "http/exchange.h"
#include "http/settings.h"
#include "http/transport.h"

enum http_connection_state {
	CONNECTION_IDLE,
	CONNECTION_HEAD,
	CONNECTION_WORKING,
	CONNECTION_BODY,
	CONNECTION_STREAMING,
	CONNECTION_WRITING,
	CONNECTION_DISCARDING,
	CONNECTION_LINGERING,
	CONNECTION_CLOSING,
	CONNECTION_UPGRADED,
};

/* What the connections of a server share. */
struct http_connections {
	struct loop *loop;
	struct http_server_settings settings; /* with every limit filled in */
	struct list all;		      /* of struct http_connection */
	struct list upgrades;		      /* of struct http_upgrade */
	unsigned count;			      /* of all */
	bool is_draining;
	struct http_date date;
	struct request_ids ids;
	void (*on_gone)(struct http_connections *connections); /* one is closed or upgraded */
};

/* What took a connection's transport over: embedded in it. */
struct http_upgrade {
	struct list node;
	/* The server closes: the transport must be closed. */
	void (*drop)(struct http_upgrade *upgrade);
};

struct http_connection {
	struct http_transport *transport;
	struct http_connections *connections;
	const struct http_listener_settings *listener;
	struct list node; /* of connections->all */
	struct deadline deadline;
	struct later later; /* goes on with what is parked */
	struct http_exchange *exchange;
	struct buffer parked;
	uint32_t lingered_bytes;
	uint8_t state;	/* enum http_connection_state */
	bool is_taking; /* bytes of the client are being used: that goes on by itself */
	bool has_more;	/* more bytes of the client are at hand than were used */
	bool saw_end;	/* the client sends no more */
	bool ends;	/* after this answer */
	uint8_t remote_length;
	char remote[HTTP_TRANSPORT_ADDRESS_BYTES];
};

/* Every change of state goes through here; each state has its deadline. */
void http_connection_move(struct http_connection *connection, enum http_connection_state state);

/* At once. A request at work is abandoned, a stream is stopped later. */
void http_connection_close(struct http_connection *connection);

/* Frees it; its transport is closed or somebody else's. */
void http_connection_free(struct http_connection *connection);

/* Its exchange is over: waits for the next request. */
void http_connection_wait(struct http_connection *connection);

/* Its exchange is over, and it ends: RFC 9112 section 9.6. */
void http_connection_linger(struct http_connection *connection);

/* After anything that may have made bytes of the client usable or wanted. While the server drains,
 * it closes a connection that has no request and none on its way. */
void http_connection_go_on(struct http_connection *connection);

/* Gives the request's transport up for another protocol: the exchange and the connection are gone
 * after it. ret_parked, which may be empty, is what came behind the request: the caller's. */
struct http_transport *http_connection_upgrade(struct http_connection *connection,
					       struct buffer *ret_parked);

/* HTTP connection and its states: requests come one after the other, one is processed at a time.
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
 * Every state leads to CLOSING: the peer left, the server closes, or a deadline has passed. WORKING
 * leads to UPGRADED: a WebSocket has taken over the transport.
 *
 * Bytes that arrive in IDLE, HEAD, BODY, DISCARDING and LINGERING are processed at once. In the
 * other states the connection parks them, and reads nothing while bytes are parked, which stops the
 * client. */
#pragma once

#include "base/buffer.h"
#include "http/date.h"
#include "http/exchange.h"
#include "http/settings.h"
#include "http/transport.h"
#include "http/unsent.h"

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

/* State that the connections of a server share. */
struct http_connections {
	struct loop *loop;
	struct http_server_settings settings; /* with every limit filled in */
	struct list all;		      /* of struct http_connection */
	struct list upgrades;		      /* of struct http_upgrade */
	struct http_unsent unsent;	      /* unsent output of all of them */
	unsigned count;			      /* number of all connections */
	bool is_retiring;		      /* each connection ends with its next answer */
	bool is_draining;		      /* and those without a request end at once */
	struct http_date date;
	struct request_ids ids;
	void (*on_gone)(struct http_connections *connections); /* a connection closed or upgraded */
};

/* Embedded in the object that took over a connection's transport. */
struct http_upgrade {
	struct list node;
	/* Called when the server closes: the transport must be closed. */
	void (*drop)(struct http_upgrade *upgrade);
};

/* Small pieces of bodies that a connection may bring within so many milliseconds, in one read or in
 * many; then it pauses as long. A read has 10,000 chunks of a byte: two milliseconds. */
enum { CONNECTION_PIECES_IN_A_ROW = 256, CONNECTION_ROW_MS = 5 };

struct http_connection {
	struct http_transport *transport;
	struct http_connections *connections;
	const struct http_listener_settings *listener;
	struct list node; /* of connections->all */
	struct deadline deadline;
	struct later later; /* processes the parked bytes */
	struct http_exchange *exchange;
	struct buffer parked;
	struct http_unsent_entry unsent;
	uint32_t lingered_bytes;
	uint32_t row;	 /* small pieces of bodies since row_ms, and padding for 16 bytes a piece */
	uint32_t row_ms; /* time of the loop, its lower half */
	uint8_t state;	 /* enum http_connection_state */
	bool is_taking;	 /* bytes of the client are being processed, one piece after the other */
	bool has_more;	 /* there are more bytes after those just processed */
	bool saw_end;	 /* the client sends no more */
	bool ends;	 /* ends after this answer */
	bool is_proxy;	 /* the peer is a trusted proxy */
	uint8_t remote_length; /* 0: unknown before the first byte */
	char remote[HTTP_TRANSPORT_ADDRESS_BYTES];
};

/* Changes the state, and sets the new state's deadline if it has one. No other function changes the
 * state. */
void http_connection_move(struct http_connection *connection, enum http_connection_state state);

extern const struct http_unsent_owner http_connection_unsent_owner;

/* Call it after anything that may have changed the client's unsent output. */
void http_connection_count_pending(struct http_connection *connection);

/* Closes at once. A request under way is abandoned; a stream is stopped later. */
void http_connection_close(struct http_connection *connection);

/* Frees the connection, whose transport was closed or taken over. */
void http_connection_free(struct http_connection *connection);

/* Waits for the next request, after an exchange. */
void http_connection_wait(struct http_connection *connection);

/* Ends the connection after the last exchange, in stages (RFC 9112 section 9.6). */
void http_connection_linger(struct http_connection *connection);

/* Call it after anything that may allow or require processing the client's bytes. While the server
 * drains, closes a connection that has no request and none on its way. */
void http_connection_go_on(struct http_connection *connection);

/* Gives up the transport for another protocol: the caller may no longer use the exchange and the
 * connection. ret_parked, which the caller owns and which may be empty, holds the bytes after the
 * request. */
struct http_transport *http_connection_upgrade(struct http_connection *connection,
					       struct buffer *ret_parked);

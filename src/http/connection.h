/* An HTTP connection: requests come one after the other, one is at work at a time.
 *
 *              first byte        head complete       http_respond()
 *      +-> IDLE ---------> HEAD -------------> WORKING -----------> WRITING
 *      |                     |                 |    ^                |  |  |
 *      |               refused or too late     v    | done()         |  |  |
 *      |                     +--> WRITING     BODY--+                |  |  |
 *      +--------------------------- written, all was read -----------+  |  |
 *      +--- the rest was dropped --- DISCARDING <-- body left unread ---+  |
 *                                        v                                 |
 *           CLOSING <------------- LINGERING <----- the connection ends ---+
 *
 * From every state to CLOSING: the peer left, the server closes, a deadline. From WORKING to
 * UPGRADED: the socket is a WebSocket's now.
 *
 * What comes in IDLE, HEAD, BODY, DISCARDING and LINGERING is used at once; in the other states it
 * is parked, and while something is parked nothing is read: that stops the client. */
#pragma once

#include "base/buffer.h"
#include "http/exchange.h"
#include "http/socket.h"

enum http_connection_state {
	CONNECTION_IDLE,
	CONNECTION_HEAD,
	CONNECTION_WORKING,
	CONNECTION_BODY,
	CONNECTION_WRITING,
	CONNECTION_DISCARDING,
	CONNECTION_LINGERING,
	CONNECTION_CLOSING,
	CONNECTION_UPGRADED,
};

struct http_connection {
	struct http_socket *socket;
	struct http_server *server;
	const struct http_listener_settings *listener;
	struct list node; /* of the server's connections */
	struct deadline deadline;
	struct later later; /* goes on with what is parked */
	struct http_exchange *exchange;
	struct buffer parked;
	uint32_t lingered_bytes;
	uint8_t state;	/* enum http_connection_state */
	bool is_taking; /* connection_take() is on the stack: it goes on by itself */
	bool has_more;	/* more bytes of the client are at hand than were used */
	bool saw_end;	/* the client sends no more */
	bool ends;	/* after this answer */
	uint8_t remote_length;
	char remote[HTTP_SOCKET_ADDRESS_BYTES];
};

void http_connection_create(struct http_server *server,
			    const struct http_listener_settings *listener,
			    struct http_socket *socket);

/* At once. A request at work is abandoned. */
void http_connection_close(struct http_connection *connection);

/* Closes it unless a request has begun or is on its way. */
void http_connection_drain(struct http_connection *connection);

/* Takes the request's socket for a WebSocket: the exchange and the connection are gone after it.
 * parked, which may be empty, is what came behind the request: the caller's. */
struct http_socket *http_connection_upgrade(struct http_connection *connection,
					    struct buffer *ret_parked);

/* Private to the two files of it. */
void connection_move(struct http_connection *connection, enum http_connection_state state);
void connection_refuse(struct http_connection *connection, struct http_rejection rejection);
void connection_answer(struct http_connection *connection, const struct http_response *response);
void connection_on_written(struct http_connection *connection);
void connection_linger(struct http_connection *connection);
void connection_go_on(struct http_connection *connection);

/* What connections and WebSockets share. */
#pragma once

#include "http/server.h"
#include "http/socket.h"

/* The messages of a corked WebSocket: small parts are copied, the others stay where they are. */
struct cork_buffer {
	struct websocket *websocket; /* NULL: none is corked */
	struct str parts[HTTP_SOCKET_PARTS_MAX];
	unsigned count;
	size_t small_bytes;
	char small[512];
};

enum { READ_BUFFER_BYTES = 64 * 1024, HTTP_DATE_LENGTH = 29, REQUEST_ID_LENGTH = 32 };

struct http_server {
	struct loop *loop;
	struct http_server_settings settings; /* with every limit filled in */
	struct list listeners;		      /* of struct http_listener */
	struct list connections;	      /* of struct http_connection */
	struct list websockets;		      /* of struct websocket */
	unsigned listener_count;
	unsigned connection_count;
	unsigned socket_count; /* connections and WebSockets, until their handles are closed */
	bool is_draining;
	void (*drained)(void *context);
	void *drained_context;
	struct later drained_later;
	uint64_t id_prefix; /* of request IDs: random per server */
	uint64_t id_counter;
	uint64_t refused_s; /* when a connection was last not accepted, loop time */
	int64_t date_s;	    /* the second that date_text is of */
	char date_text[HTTP_DATE_LENGTH + 1];
	struct cork_buffer cork;
	/* Every read of this loop goes here and is used up before the next one. */
	char read_buffer[READ_BUFFER_BYTES];
};

/* A socket's handle is closed: room for the next connection. */
void http_server_on_socket_closed(struct http_server *server);

/* A connection is closed or became a WebSocket. */
void http_server_on_connection_gone(struct http_server *server);

/* "Fri, 20 Nov 2026 08:15:30 GMT", valid until the next call. */
struct str http_server_date(struct http_server *server);

/* A new request ID and a NUL. Unique, not secret. */
void http_server_new_id(struct http_server *server, char ret_text[static REQUEST_ID_LENGTH + 1]);

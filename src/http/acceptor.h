/* Accepts connections from a listening socket. */
#pragma once

#include "http/connection_state.h"
#include "http/listener.h"
#include "http/transport_plain.h"

struct http_listener {
	union stream_handle uv;
	struct http_listener_settings settings; /* its connections refer to these */
	struct http_connections *connections;
	struct http_transport_host *transports;
	struct list node;
	uint64_t failed_s; /* loop time at which accepting last failed */
	int reserve_fd;	   /* closed for a moment if no descriptor is left */
	bool is_open;	   /* until its handle is closed */
	bool is_closing;
	bool has_waiting; /* a connection waits for room; libuv accepts no further one */
};

/* Accepts from fd, which the listener owns from now on. Zero the listener before, and set its
 * settings, connections and transports. Returns 0 or a negative errno: then it closes itself. */
__attribute__((warn_unused_result)) int http_listener_open(struct http_listener *listener, int fd);

/* Accepts the connection that has waited, if there is one and room for it. */
void http_listener_accept_waiting(struct http_listener *listener);

/* Stops accepting. The handle is closed later. A second call does nothing. */
void http_listener_close(struct http_listener *listener);

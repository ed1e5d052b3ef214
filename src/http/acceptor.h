/* A listening socket that makes connections. */
#pragma once

#include "http/connection_state.h"
#include "http/listener.h"

struct http_listener {
	union {
		uv_handle_t handle;
		uv_stream_t stream;
		uv_tcp_t tcp;
		uv_pipe_t pipe;
	} uv;
	struct http_listener_settings settings; /* its connections point here */
	struct http_connections *connections;
	struct http_transport_host *transports;
	struct list node;
	uint64_t failed_s; /* when a connection was last not accepted, loop time */
	bool is_open;	   /* until its handle is closed */
	bool is_closing;
	bool has_waiting; /* a connection that waits for room; libuv accepts no further one */
};

/* Accepts from fd, which the listener owns. 0 or a negative errno. Where that fails it is closing
 * already. Zeroed before. */
__attribute__((warn_unused_result)) int http_listener_open(struct http_listener *listener, int fd);

/* There may be room for a connection that waits. */
void http_listener_accept_waiting(struct http_listener *listener);

/* Its handle is closed later. Asking twice is asking once. */
void http_listener_close(struct http_listener *listener);

/* Plain TCP and unix sockets; with http_transport_proxied (http/listener.h) the bytes after the
 * PROXY header. */
#pragma once

#include "http/transport.h"

/* A stream of either family, as libuv has it. */
union stream_handle {
	uv_handle_t handle;
	uv_stream_t stream;
	uv_tcp_t tcp;
	uv_pipe_t pipe;
};

extern const struct http_transport_kind http_transport_plain;

/* Takes a connected unix socket. Returns NULL if libuv refuses it; fd is closed then. */
struct http_transport *http_transport_adopt(struct http_transport_host *host, int fd);

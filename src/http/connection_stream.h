/* The streams of connections: see http/stream.h. */
#pragma once

#include "http/connection_state.h"

/* In STREAMING: all that was written has been taken. */
void http_connection_stream_on_flushed(struct http_connection *connection);

/* In STREAMING: whether the stream has no end of its own. */
bool http_connection_stream_is_endless(const struct http_connection *connection);

/* In STREAMING: the server drains. */
void http_connection_stream_drain(struct http_connection *connection);

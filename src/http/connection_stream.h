/* Streams of connections: see http/stream.h. */
#pragma once

#include "http/connection_state.h"

/* Call it in STREAMING, when everything written was taken. */
void http_connection_stream_on_flushed(struct http_connection *connection);

/* Whether the stream is endless. Call it in STREAMING. */
bool http_connection_stream_is_endless(const struct http_connection *connection);

/* Call it in STREAMING, when the server drains. */
void http_connection_stream_drain(struct http_connection *connection);

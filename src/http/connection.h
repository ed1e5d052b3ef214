/* Processes the bytes that the client of an HTTP connection sends: see http/connection_state.h. */
#pragma once

#include "http/connection_state.h"

/* Takes the transport over. */
void http_connection_create(struct http_connections *connections,
			    const struct http_listener_settings *listener,
			    struct http_transport *transport);

/* The server retires: a stream without an end is stopped. */
void http_connection_retire(struct http_connection *connection);
/* The server drains: closes the connection unless a request has begun or is on its way. */
void http_connection_drain(struct http_connection *connection);

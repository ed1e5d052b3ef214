/* Processes the bytes that the client of an HTTP connection sends: see http/connection_state.h. */
#pragma once

#include "http/connection_state.h"

/* Makes a connection, which owns the transport. */
void http_connection_create(struct http_connections *connections,
			    const struct http_listener_settings *listener,
			    struct http_transport *transport);

/* Call it when the server retires: stops an endless stream. */
void http_connection_retire(struct http_connection *connection);
/* Call it when the server drains: closes the connection unless a request has begun or is on its
 * way. */
void http_connection_drain(struct http_connection *connection);

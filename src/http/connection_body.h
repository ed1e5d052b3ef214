/* Body of a connection's request: read if the handler wants it, else dropped. */
#pragma once

#include "http/connection_state.h"

/* Processes bytes of the client, in BODY and DISCARDING; returns how many. */
size_t http_connection_take_body(struct http_connection *connection, struct str data);

/* Calls done() of the handler with this status, in BODY, if the body will not come completely. The
 * connection ends after the answer. */
void http_connection_fail_body(struct http_connection *connection, int status);

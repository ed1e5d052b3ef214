/* The body of a connection's request: read where the handler wants it, else dropped. */
#pragma once

#include "http/connection_state.h"

/* In BODY and DISCARDING: uses bytes of the client; returns how many. */
size_t http_connection_take_body(struct http_connection *connection, struct str data);

/* In BODY, where the body will not come whole: calls done() of the handler with this status. The
 * connection ends after the answer. */
void http_connection_fail_body(struct http_connection *connection, int status);

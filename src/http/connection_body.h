/* The body of a connection's request: read where the handler wants it, else dropped. */
#pragma once

#include "http/connection_state.h"

/* In BODY and DISCARDING: uses bytes of the client, returns how many. */
size_t http_connection_take_body(struct http_connection *connection, struct str data);

/* In BODY: the body will not come whole; the handler is told and answers, and the connection ends.
 */
void http_connection_fail_body(struct http_connection *connection, int status);

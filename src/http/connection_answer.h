/* Answers of a connection. */
#pragma once

#include "http/connection_state.h"

/* Answers with a problem instead of calling a handler, and ends the connection. */
void http_connection_reject(struct http_connection *connection, struct http_protocol_error error);

/* Whether the connection cannot be used for another request after this answer. */
bool http_connection_must_end(const struct http_connection *connection,
			      const struct http_response *response);

/* Call it in WRITING, when the transport has taken the whole answer. */
void http_connection_on_written(struct http_connection *connection);

/* Ends WRITING when the transport has taken everything, which may be now. */
void http_connection_finish_writing(struct http_connection *connection);

/* The bytes of an answer's head, and of a problem's body. */
#pragma once

#include "http/exchange.h"

struct http_server;

/* Status line and fields, up to and with the empty line; in the request's arena. */
struct str response_head(struct http_exchange *exchange, struct http_server *server,
			 const struct http_response *response, bool close);

/* True where the answer carries no body whatever the response holds (RFC 9110 section 6.4.1). */
bool response_has_no_body(const struct http_exchange *exchange,
			  const struct http_response *response);

/* Application/problem+json (RFC 9457). */
struct str problem_text(struct arena *arena, int status, struct str detail,
			struct str extra_members);

/* "\"...\"" (RFC 8259 section 7). Bytes that are no UTF-8 become "?". */
struct str json_quote(struct arena *arena, struct str text);

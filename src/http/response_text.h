/* The bytes of an answer, and of a problem's body. */
#pragma once

#include "http/date.h"
#include "http/exchange.h"

/* Whether answers of this status may have a body (RFC 9110 section 6.4.1). */
bool http_status_has_body(int status);

/* Status line and fields, up to and with the empty line, and a short body; in the request's arena.
 * ret_rest: the body where it is not short, as the response has it; else empty. No body is sent in
 * answer to HEAD and with a status that has none (RFC 9110 section 6.4.1). */
struct str response_text(struct http_exchange *exchange, struct http_date *date,
			 const struct http_response *response, bool close, struct str *ret_rest);

/* Application/problem+json (RFC 9457). */
struct str problem_text(struct arena *arena, int status, struct str detail,
			struct str extra_members);

/* "\"...\"" (RFC 8259 section 7). Bytes that are no UTF-8 become "?". */
struct str json_quote(struct arena *arena, struct str text);

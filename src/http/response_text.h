/* Formats answers, and bodies of problems. */
#pragma once

#include "http/date.h"
#include "http/exchange.h"

/* Whether answers of this status may have a body (RFC 9110 section 6.4.1). */
bool http_status_has_body(int status);

/* Returns status line and fields, including the empty line, and a short body; in the request's
 * arena. ret_rest: a body that is not short, as in the response; else empty. No body is sent in
 * answer to HEAD and with a status that has none (RFC 9110 section 6.4.1). */
struct str response_text(struct http_exchange *exchange, struct http_date *date,
			 const struct http_response *response, bool close, struct str *ret_rest);

/* Application/problem+json (RFC 9457). */
struct str problem_text(struct arena *arena, const struct problem_kind *kind, struct str detail,
			struct str extra_members);

/* Returns "\"...\"" (RFC 8259 section 7). Invalid UTF-8 becomes "?". */
struct str json_quote(struct arena *arena, struct str text);

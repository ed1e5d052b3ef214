/* Answers. */
#pragma once

#include "http/problem.h"
#include "http/request.h"

enum { HTTP_RESPONSE_FIELDS_MAX = 16 };

struct http_response {
	int status;
	struct str content_type; /* empty: no field Content-Type */
	struct str body;	 /* in the request's arena, or static */
	bool close;		 /* end the connection after this answer */
	unsigned field_count;
	/* Beyond field_count they are indeterminate. Values: in the request's arena, or static */
	struct http_field fields[HTTP_RESPONSE_FIELDS_MAX];
};

/* Adds a field. The name is a token, a constant of the program. It must not be empty, and name and
 * value must be printable, without CR or LF; otherwise the process ends. */
void http_response_add(struct http_response *response, struct str name, struct str value);

/* Answers and gives up the request: the last act. Adds Date, Content-Length, X-Request-Id, and
 * Connection if needed; omits the body for HEAD, 204 and 304. May be called inside on_request or
 * from any later callback on the loop. Copies the struct, not what it points to. */
void http_respond(struct http_request *request, const struct http_response *response);

/* Answers with application/problem+json (RFC 9457): type "about:blank", title from the status,
 * code, detail (may be empty). extra_members is raw JSON such as "\"errors\":[...]" or empty. *base
 * has the fields to add and whether to close; NULL is allowed. */
void http_respond_problem(struct http_request *request, const struct problem_kind *kind,
			  struct str detail, struct str extra_members,
			  const struct http_response *base);

/* "Not Found" */
const char *http_status_text(int status);

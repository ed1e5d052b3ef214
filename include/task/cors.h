/* Cross-origin requests (Fetch standard, section "CORS protocol"): off unless origins are
 * configured, then exactly these. */
#pragma once

#include "http/response.h"
#include "task/service.h"

/* Whether the request is for the public API, all that pages of other origins may ever call. */
bool cors_concerns(const struct http_request *request);

/* Adds what an answer of the public API must carry: nothing where no origin is configured; Vary,
 * and for a configured origin the fields that let its page read the answer. */
void cors_add_fields(const struct service *service, const struct http_request *request,
		     struct http_response *response);

/* Likewise for the answer to OPTIONS: where it is a preflight of a configured origin, also the
 * fields that let its page send the request. allow: the methods of the resource. */
void cors_add_options_fields(const struct service *service, const struct http_request *request,
			     struct str allow, struct http_response *response);

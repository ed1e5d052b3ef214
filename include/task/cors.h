/* Cross-origin requests (Fetch standard, section "CORS protocol"): off unless origins are
 * configured, then exactly these. */
#pragma once

#include "http/response.h"
#include "task/service.h"

/* False for what the own pages ask for (/web/): pages of other origins may never call that. */
bool cors_concerns(const struct http_request *request);

/* Adds what an answer must carry if cors_concerns() is true: nothing if no origin is configured;
 * else Vary, and for a configured origin the fields that let its page read the answer. */
void cors_add_fields(const struct service *service, const struct http_request *request,
		     struct http_response *response);

/* Whether a page of a configured origin asks if it may send a request. */
bool cors_is_preflight(const struct service *service, const struct http_request *request);

/* Adds the same fields to the answer to OPTIONS, and for a preflight of a configured origin also
 * those that let its page send the request. allow: the methods of the resource. */
void cors_add_options_fields(const struct service *service, const struct http_request *request,
			     struct str allow, struct http_response *response);

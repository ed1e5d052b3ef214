/* Cross-origin requests (Fetch standard, section "CORS protocol"): off unless origins are
 * configured, then only for these. */
#pragma once

#include "http/response.h"
#include "task/service.h"

/* Whether CORS applies. Not for endpoints of the own pages (/web/): pages of other origins may
 * never call them. */
bool cors_concerns(const struct http_request *request);

/* Adds fields to an answer if cors_concerns() is true: none if no origin is configured; else Vary,
 * and for a configured origin the fields that let its page read the answer. */
void cors_add_fields(const struct service *service, const struct http_request *request,
		     struct http_response *response);

/* Whether the request is a preflight from a page of a configured origin. */
bool cors_is_preflight(const struct service *service, const struct http_request *request);

/* Adds the fields of cors_add_fields() to the answer to OPTIONS, and for a preflight of a
 * configured origin also those that let its page send the request. allow: the methods of the
 * resource. */
void cors_add_options_fields(const struct service *service, const struct http_request *request,
			     struct str allow, struct http_response *response);

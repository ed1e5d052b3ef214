/* Protocol error: the answer of the layer itself to an invalid request. */
#pragma once

#include "http/problem.h"

struct http_protocol_error {
	const struct problem_kind *kind; /* NULL: the request is valid */
	const char *detail;		 /* for the caller; static */
};

#define HTTP_PROTOCOL_ERROR(problem, text)                                                         \
	((struct http_protocol_error){.kind = (problem), .detail = (text)})
#define HTTP_NO_ERROR ((struct http_protocol_error){0})

/* Protocol error: the answer of the layer itself to an invalid request. */
#pragma once

struct http_protocol_error {
	int status;	    /* 0: the request is valid */
	const char *detail; /* for the caller; static */
};

#define HTTP_PROTOCOL_ERROR(code, text)                                                            \
	((struct http_protocol_error){.status = (code), .detail = (text)})
#define HTTP_NO_ERROR ((struct http_protocol_error){0})

/* Why a request is not served: the answer that the layer itself gives. */
#pragma once

struct http_protocol_error {
	int status;	    /* 0: the request is fine */
	const char *detail; /* for the caller; static */
};

#define HTTP_PROTOCOL_ERROR(code, text)                                                            \
	((struct http_protocol_error){.status = (code), .detail = (text)})
#define HTTP_NO_ERROR ((struct http_protocol_error){0})

/* Why a request is not served: the answer that the layer itself gives. */
#pragma once

struct http_rejection {
	int status;	    /* 0: the request is fine */
	const char *detail; /* for the caller; static */
};

#define HTTP_REJECT(code, text) ((struct http_rejection){.status = (code), .detail = (text)})
#define HTTP_ACCEPT ((struct http_rejection){0})

#include "http/trailer.h"
#include "base/memory.h"

bool trailer_is_forbidden(struct str name)
{
	static const char *const forbidden[] = {
	    "accept",
	    "accept-encoding",
	    "authorization",
	    "cache-control",
	    "connection",
	    "content-encoding",
	    "content-language",
	    "content-length",
	    "content-location",
	    "content-range",
	    "content-type",
	    "cookie",
	    "expect",
	    "forwarded",
	    "host",
	    "if-match",
	    "if-modified-since",
	    "if-none-match",
	    "if-range",
	    "if-unmodified-since",
	    "keep-alive",
	    "max-forwards",
	    "pragma",
	    "proxy-authorization",
	    "proxy-connection",
	    "range",
	    "set-cookie",
	    "te",
	    "trailer",
	    "transfer-encoding",
	    "upgrade",
	    "x-forwarded-for",
	    "x-forwarded-host",
	    "x-forwarded-proto",
	};

	for (size_t i = 0; i < array_length(forbidden); i++) {
		if (str_equal_ignore_case(name, str_from(forbidden[i])))
			return true;
	}
	return false;
}

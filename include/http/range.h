/* Range requests (RFC 9110 section 14) for one range of bytes. */
#pragma once

#include "http/request.h"

enum http_range_kind {
	HTTP_RANGE_NONE,   /* answer 200 with all bytes */
	HTTP_RANGE_PART,   /* answer 206 with this part, and Content-Range */
	HTTP_RANGE_MISSED, /* answer 416, and Content-Range: no byte lies in it */
};

struct http_range {
	enum http_range_kind kind;
	size_t start;
	size_t length; /* of all bytes if there is no range; 0 if it is missed */
};

/* Reads the range of a GET for a representation of size bytes with this strong entity tag. Fields
 * that are malformed, have other units or several ranges count as missing, as those of other
 * methods, and those with an If-Range that the representation does not match. */
struct http_range http_range_read(const struct http_request *request, size_t size, struct str tag);

/* Returns the value of Content-Range, in the arena. */
struct str http_content_range(struct arena *arena, struct http_range range, size_t size);

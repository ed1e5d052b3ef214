/* Conditional requests (RFC 9110 section 13). */
#pragma once

#include "http/request.h"

/* Entity tag of a request. */
struct http_tag {
	struct str text; /* with its quotes, without "W/" */
	bool is_weak;
};

/* Removes the first tag from *list, the value of If-Match or If-None-Match or the rest of it.
 * Returns false at the end, leaving *list empty, or at malformed text, leaving it in *list. Skips
 * empty elements (section 5.6.1.2). */
bool http_next_tag(struct str *list, struct http_tag *ret_tag);

/* Whether the client has this already: If-None-Match names the tag, or is "*". tag is an entity tag
 * with its quotes. The comparison is weak (section 13.1.2). */
bool http_has_tag(const struct http_request *request, struct str tag);
/* Whether If-None-Match is "*", which matches any representation. */
bool http_has_any_tag(const struct http_request *request);

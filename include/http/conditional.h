/* Conditional requests (RFC 9110 section 13). */
#pragma once

#include "http/request.h"

/* An entity tag as a request names it. */
struct http_tag {
	struct str text; /* with its quotes, without "W/" */
	bool is_weak;
};

/* Takes the first tag off *list, which is the value of If-Match or If-None-Match or what is left of
 * it. False at the end, where *list is then empty, and where no tag stands though *list goes on.
 * Empty elements are skipped (section 5.6.1.2). */
bool http_next_tag(struct str *list, struct http_tag *ret_tag);

/* Whether the client has this already: If-None-Match names the tag, or is "*". tag is an entity tag
 * with its quotes. The comparison is weak, as section 13.1.2 has it. */
bool http_has_tag(const struct http_request *request, struct str tag);
/* Whether If-None-Match is "*": whatever there is, the client has it. */
bool http_has_any_tag(const struct http_request *request);

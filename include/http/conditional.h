/* Conditional requests (RFC 9110 section 13). */
#pragma once

#include "http/request.h"

/* Whether the client has this already: If-None-Match names the tag, or is "*". tag is an entity tag
 * with its quotes. The comparison is weak, as the section has it. */
bool http_has_tag(const struct http_request *request, struct str tag);

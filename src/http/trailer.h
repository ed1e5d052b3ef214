/* Fields that are forbidden in a trailer section. */
#pragma once

#include <text/str.h>

/* Whether the field concerns framing, routing, authentication, request modifiers or content (RFC
 * 9110 section 6.5.1). All others are read and dropped. */
bool trailer_is_forbidden(struct str name);

/* Who asks for a panel's picture and is no panel: a browser, a monitor, a preview of a link.
 *
 * Panels are many, and some were made at home: whoever shows no sign of another program is one. */
#pragma once

#include "http/request.h"

bool visitor_is_one(const struct http_request *request);

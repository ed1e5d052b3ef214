/* Detects clients that ask for a panel's picture and are not panels: browsers, monitors, link
 * previews.
 *
 * Panels have many kinds of firmware, some of it home-made: a client counts as a panel unless a
 * field shows another program. */
#pragma once

#include "http/request.h"

bool visitor_is_one(const struct http_request *request);

/* Cookies of a request. Pure. */
#pragma once

#include "http/request.h"

/* Returns the value of the cookie; data is NULL if it is absent. If it occurs twice, another site
 * of the same host may have set one of them, and none counts. */
struct str cookie_find(const struct http_request *request, struct str name);

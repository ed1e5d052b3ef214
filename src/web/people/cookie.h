/* Cookies of a request. Pure. */
#pragma once

#include "http/request.h"

/* The value of the cookie; data is NULL if it is absent. If it stands twice, another site of
 * the same host may have set one of them, and none counts. */
struct str cookie_find(const struct http_request *request, struct str name);

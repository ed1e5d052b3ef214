/* The proxies whose word on where a request comes from is believed. Everybody else could write any
 * address into the fields that they use. */
#pragma once

#include "base/network.h"

enum { HTTP_PROXIES_MAX = 32 };

struct http_proxies {
	struct network networks[HTTP_PROXIES_MAX];
	unsigned count; /* none: nobody is believed */
};

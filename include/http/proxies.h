/* The proxies whose word on where a request comes from is believed. Everybody else could write any
 * address into the fields that they use, and into a PROXY header. */
#pragma once

#include <text/address.h>

enum { HTTP_PROXIES_MAX = 32 };

struct http_proxies {
	struct network networks[HTTP_PROXIES_MAX];
	unsigned count; /* none: nobody is believed */
};

bool http_proxies_have(const struct http_proxies *proxies, const struct address *address);

/* peer: "127.0.0.1", "::1" or "unix", as a transport tells the other end's address. */
bool http_proxies_have_peer(const struct http_proxies *proxies, struct str peer);

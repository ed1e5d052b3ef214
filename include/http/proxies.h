/* Trusted proxies, whose statement of a request's origin is believed. Anybody else could write any
 * address into the fields, or into a PROXY header. */
#pragma once

#include <text/address.h>

enum { HTTP_PROXIES_MAX = 32 };

struct http_proxies {
	struct network networks[HTTP_PROXIES_MAX];
	unsigned count; /* 0: no trusted proxy */
};

bool http_proxies_have(const struct http_proxies *proxies, const struct address *address);

/* peer: "127.0.0.1", "::1" or "unix", the peer's address as reported by the transport. */
bool http_proxies_have_peer(const struct http_proxies *proxies, struct str peer);

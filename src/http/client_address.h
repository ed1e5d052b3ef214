/* Finds the address of a client behind a trusted proxy, in X-Forwarded-For or Forwarded (RFC 7239).
 *
 * Each proxy appends the address of its own peer, so the last address that is not a proxy's counts;
 * all before it may be invented. An entry that is not an address (RFC 7239 section 6: "unknown",
 * "_hidden") ends the list, too: then the proxy that sent it counts. If the two fields disagree,
 * one of them came from the client through a proxy that does not know the field: then the peer
 * counts. */
#pragma once

#include "base/arena.h"
#include "http/proxies.h"
#include "http/request.h"

/* peer: one of the proxies, as returned by http_transport_address(). The result is valid as long as
 * the request's fields, or is the peer. */
struct str http_client_address(const struct http_proxies *proxies, struct str peer,
			       struct http_request *request);

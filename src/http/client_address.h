/* Where a request comes from that a proxy which is believed sent: what it says of it in
 * X-Forwarded-For or Forwarded (RFC 7239).
 *
 * Each proxy adds the address of its own peer at the end, so the list is read from its end: the
 * last address that is no proxy's counts, and all before it may be invented. What is no address
 * (RFC 7239 section 6: "unknown", "_hidden") ends the list likewise: then the proxy that
 * said so counts. Where the two fields do not agree, one of them came from the client through a
 * proxy that does not know it: then the peer counts. */
#pragma once

#include "base/arena.h"
#include "http/proxies.h"
#include "http/request.h"

/* peer: one of the proxies, as http_transport_address() has it. The result lies as
 * long as the request's fields, or is the peer. */
struct str http_client_address(const struct http_proxies *proxies, struct str peer,
			       struct http_request *request);

/* The PROXY header of a connection (wire/proxy.h) while it comes in, and the address that it tells.
 */
#pragma once

#include "base/buffer.h"
#include "http/transport.h"

struct proxy_header {
	struct buffer bytes; /* that came so far, where it did not come in one piece */
	bool is_complete;
	bool is_local; /* the proxy speaks for itself: its own address counts */
	/* Address of the proxy's client; "unknown" if the proxy does not know it. That is nobody's
	 * address and so not a proxy's: forwarding fields of such a client are not trusted. */
	char address[HTTP_TRANSPORT_ADDRESS_BYTES];
};

/* Takes what came next. 0: the header is complete; ret_rest is what came behind it, valid while
 * data is, and until proxy_header_finish(). -EAGAIN: more is needed. -EPROTO: it is no header. */
__attribute__((warn_unused_result)) int proxy_header_take(struct proxy_header *header,
							  struct str data, struct str *ret_rest);

/* Frees what it holds but the address. */
void proxy_header_finish(struct proxy_header *header);

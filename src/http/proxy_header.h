/* Reads the PROXY header of a connection (wire/proxy.h), and the address in it.
 */
#pragma once

#include "base/buffer.h"
#include "http/transport.h"

struct proxy_header {
	struct buffer bytes; /* received so far, if it did not come in one piece */
	bool is_complete;
	bool is_local; /* connection of the proxy itself: its own address counts */
	/* Address of the proxy's client; "unknown" if the proxy does not know it. That is not a
	 * proxy's address, so forwarding fields of such a client are not trusted. */
	char address[HTTP_TRANSPORT_ADDRESS_BYTES];
};

/* Takes the next bytes. Returns 0 if the header is complete; ret_rest is the bytes after it, valid
 * while data is, and until proxy_header_finish(). Returns -EAGAIN if more is needed, -EPROTO if it
 * is not a header. */
__attribute__((warn_unused_result)) int proxy_header_take(struct proxy_header *header,
							  struct str data, struct str *ret_rest);

/* Frees everything except the address. */
void proxy_header_finish(struct proxy_header *header);

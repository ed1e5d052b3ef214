/* The header that a proxy puts before a connection's first byte: the PROXY protocol of HAProxy,
 * versions 1 (a line) and 2 (binary), as its specification of 2020 has them
 * (https://www.haproxy.org/download/2.6/doc/proxy-protocol.txt).
 *
 * Only what a trusted proxy sends may be read by it: anybody can write such a header. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WIRE_PROXY_LINE_MAX = 107, /* of version 1, with CR LF */
	WIRE_PROXY_HEADER_MAX =
	    16 + 1024, /* of version 2, with what it says behind the addresses */
};

enum wire_proxy_result {
	WIRE_PROXY_MORE, /* all of it is good so far */
	WIRE_PROXY_COMPLETE,
	WIRE_PROXY_MALFORMED, /* or longer than it may be */
};

struct wire_proxy {
	size_t size;   /* of the header: what follows is the client's */
	bool is_local; /* the proxy speaks for itself, such as in a health check */
	/* The address of the proxy's client; IPv4 as IPv4-mapped IPv6. It is not known if the
	 * proxy speaks for itself, or the client came through neither TCP/IPv4 nor TCP/IPv6. */
	bool has_source;
	uint8_t source[16];
};

/* data: all that has come so far, from the connection's first byte on. Asks for more only while
 * that is less than WIRE_PROXY_HEADER_MAX. ret_proxy is complete with WIRE_PROXY_COMPLETE only. */
__attribute__((warn_unused_result)) enum wire_proxy_result
wire_proxy_read(const uint8_t *data, size_t size, struct wire_proxy *ret_proxy);

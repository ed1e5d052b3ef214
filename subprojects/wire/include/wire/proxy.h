/* The header that a proxy sends before a connection's first byte: the PROXY protocol of HAProxy,
 * versions 1 (a line) and 2 (binary), by its specification of 2020
 * (https://www.haproxy.org/download/2.6/doc/proxy-protocol.txt).
 *
 * Read it only from a trusted proxy: anybody can send such a header. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WIRE_PROXY_LINE_MAX = 107, /* bytes of version 1, with CR LF */
	WIRE_PROXY_HEADER_MAX =
	    16 + 1024, /* bytes of version 2, including the fields behind the addresses */
};

enum wire_proxy_result {
	WIRE_PROXY_MORE, /* valid so far */
	WIRE_PROXY_COMPLETE,
	WIRE_PROXY_MALFORMED, /* invalid, or too long */
};

struct wire_proxy {
	size_t size;   /* size of the header: the bytes behind it are the client's */
	bool is_local; /* the proxy speaks for itself, such as in a health check */
	/* The address of the proxy's client; IPv4 as IPv4-mapped IPv6. It is not known if the
	 * proxy speaks for itself, or the client came through neither TCP/IPv4 nor TCP/IPv6. */
	bool has_source;
	uint8_t source[16];
};

/* Reads a header. data: all bytes received so far, from the connection's first byte on. Requests
 * more only while there are fewer than WIRE_PROXY_HEADER_MAX. ret_proxy is complete with
 * WIRE_PROXY_COMPLETE only. */
__attribute__((warn_unused_result)) enum wire_proxy_result
wire_proxy_read(const uint8_t *data, size_t size, struct wire_proxy *ret_proxy);

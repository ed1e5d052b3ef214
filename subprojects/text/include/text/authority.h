/* Host and port of a URL (RFC 3986 section 3.2). */
#pragma once

#include "text/str.h"

#include <stdint.h>

struct authority {
	struct str host; /* without brackets */
	uint16_t port;	 /* 0: no port */
	bool has_brackets;
};

enum authority_fault {
	AUTHORITY_FINE,
	AUTHORITY_OPEN, /* the closing bracket is missing */
	AUTHORITY_NO_HOST,
	AUTHORITY_MALFORMED, /* something other than a port follows the brackets */
	AUTHORITY_BAD_PORT,  /* not from 1 to 65535 */
};

/* Reads HOST, HOST:PORT, [ADDRESS] or [ADDRESS]:PORT. See authority_has_plain_host(). */
__attribute__((warn_unused_result)) enum authority_fault
authority_read(struct str text, struct authority *ret_authority);

/* Whether the host has only characters of names and of addresses of IPv4, or in brackets of IPv6:
 * nothing that a client would decode ("%31"). */
__attribute__((warn_unused_result)) bool
authority_has_plain_host(const struct authority *authority);

/* Host and port of a URL (RFC 3986 section 3.2). */
#pragma once

#include "text/str.h"

#include <stdint.h>

struct authority {
	struct str host; /* without brackets */
	uint16_t port;	 /* 0: none is named */
	bool has_brackets;
};

enum authority_fault {
	AUTHORITY_FINE,
	AUTHORITY_OPEN, /* a bracket has no end */
	AUTHORITY_NO_HOST,
	AUTHORITY_MALFORMED, /* something other than a port follows the brackets */
	AUTHORITY_BAD_PORT,  /* none from 1 to 65535 */
};

/* Reads HOST, HOST:PORT, [ADDRESS] or [ADDRESS]:PORT. Which characters a host may have is the
 * caller's rule. */
__attribute__((warn_unused_result)) enum authority_fault
authority_read(struct str text, struct authority *ret_authority);

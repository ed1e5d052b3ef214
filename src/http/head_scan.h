/* Byte-exact check of a request's head, before the parser sees it.
 *
 *   empty lines* method SP target SP "HTTP/1." [01] CRLF ( name ":" value CRLF )* CRLF
 *
 * llhttp forgives here and there (a bare LF behind the target, for one: nodejs/llhttp#877). Two
 * parsers that disagree on where a request ends are how requests are smuggled, so nothing reaches
 * it that is not of this form. Sees every byte once, however the head is split (RFC 9112 sections 2
 * to 5). */
#pragma once

#include "base/str.h"
#include "http/refusal.h"

#include <stdint.h>

struct head_scan {
	uint16_t length;     /* bytes of the head so far, without the empty lines before it */
	uint16_t part;	     /* bytes of the method, target or version so far */
	uint8_t blank_lines; /* before the request line */
	uint8_t field_count; /* header fields begun */
	uint8_t state;
	bool is_complete;
};

/* A zeroed struct head_scan is ready for a head. Looks at data up to the end of the head at most.
 * ret_start: where the head's own bytes begin in data; ret_used: bytes looked at. */
struct refusal head_scan(struct head_scan *scan, struct str data, size_t *ret_start,
			 size_t *ret_used);

/* RFC 9110 section 5.6.2. */
bool is_token(struct str text);

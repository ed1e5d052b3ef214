/* Byte-exact check of a request's head, before the parser sees it.
 *
 *   empty lines* method SP target SP "HTTP/" DIGIT "." DIGIT CRLF ( name ":" value CRLF )* CRLF
 *
 * llhttp alone, with limits in its callbacks, would be laxer: 9.2 accepts bare LFs and "CR CR LF"
 * before the request line, two spaces in it, a request line without a version (HTTP/0.9), even if a
 * bare LF ends it (nodejs/llhttp#877, open in August 2026), RTSP and ICE for HTTP, and a "#" in the
 * target. Its callbacks do not see the bytes that it tolerates, so later code cannot check them,
 * and they see no byte of an endless line. Requests are smuggled through two parsers that disagree
 * on where a request ends, so llhttp gets nothing that is not of this form. The scan costs some 20
 * instructions a byte; it sees each byte once, however the head is split (RFC 9112 sections 2 to
 * 5). llhttp then reads the complete head, without copies. */
#pragma once

#include "http/protocol_error.h"

#include <stdint.h>
#include <text/str.h>

struct head_scan {
	uint16_t length;     /* bytes of the head so far, without the empty lines before it */
	uint16_t part;	     /* bytes of the method, target or version so far */
	uint16_t version;    /* offset of the version in the head, once it has begun */
	uint8_t blank_lines; /* before the request line */
	uint8_t field_count; /* header fields begun */
	uint8_t state;
	bool is_other_major; /* major version other than HTTP/1 */
	bool is_complete;
};

/* Offsets in "HTTP/1.1", which begins at scan->version, and its length. */
enum { HTTP_VERSION_MAJOR = 5, HTTP_VERSION_MINOR = 7, HTTP_VERSION_BYTES = 8 };

/* Scans data, at most up to the end of the head. A zeroed struct head_scan is ready for a head.
 * ret_start: where the head itself begins in data; ret_used: bytes scanned. */
struct http_protocol_error head_scan(struct head_scan *scan, struct str data, size_t *ret_start,
				     size_t *ret_used);

/* RFC 9110 section 5.6.2. */
bool is_token(struct str text);

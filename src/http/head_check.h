/* Interprets a head, and rejects one with several meanings (RFC 9112 sections 3 and 6). */
#pragma once

#include "http/parser.h"

#include <stdbool.h>
#include <stdint.h>

struct head_facts {
	struct str path;
	struct str query;
	uint64_t content_length; /* 0 if none was sent */
	bool is_chunked;
	bool expects_continue;
};

/* Checks a head. After a protocol error ret_facts has the facts found before it: path and query if
 * the target is valid.
 */
struct http_protocol_error head_check(const struct http_head *head, struct head_facts *ret_facts);

/* Checks the target, in a form that the method allows: origin form, absolute form if it names the
 * host of the Host field, "*" for OPTIONS. CONNECT is not served. */
struct http_protocol_error target_check(struct str method, struct str target, struct str host,
					struct str *ret_path, struct str *ret_query);

/* Whether text is uri-host [ ":" port ], not empty (RFC 3986 section 3.2.2). */
bool host_is_valid(struct str host);

/* Accepts the value "chunked" of Transfer-Encoding. 501 if it has an unregistered coding, else 400.
 */
struct http_protocol_error transfer_coding_check(struct str value);

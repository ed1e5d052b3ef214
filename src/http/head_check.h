/* Interprets a head, and rejects one with several meanings (RFC 9112 sections 3 and 6). */
#pragma once

#include "http/parser.h"

#include <stdbool.h>
#include <stdint.h>

struct head_facts {
	struct str path;
	struct str query;
	uint64_t content_length; /* 0 where none was sent */
	bool is_chunked;
	bool expects_continue;
};

/* After a protocol error ret_facts has what was found before: path and query where the target is
 * fine.
 */
struct http_protocol_error head_check(const struct http_head *head, struct head_facts *ret_facts);

/* The target in the form that the method allows: origin form, absolute form where it names the
 * same host as the Host field, "*" for OPTIONS. CONNECT is not served. */
struct http_protocol_error target_check(struct str method, struct str target, struct str host,
					struct str *ret_path, struct str *ret_query);

/* uri-host [ ":" port ], not empty (RFC 3986 section 3.2.2). */
bool host_is_valid(struct str host);

/* Accepts the value "chunked" of Transfer-Encoding. 501 where it has an unregistered coding, else
 * 400. */
struct http_protocol_error transfer_coding_check(struct str value);

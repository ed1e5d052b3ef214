/* Wraps the parser of subprojects/wire, since llhttp's header and http/request.h both define
 * HTTP_GET.
 *
 * A head is complete, checked by head_scan(); a body comes in pieces. Chunk lines and trailers that
 * are malformed or longer than wire/head.h allows are answered with 400. */
#pragma once

#include "base/arena.h"
#include "http/field.h"
#include "http/protocol_error.h"

#include <stdint.h>

struct http_head {
	struct str method;
	struct str target;
	struct http_field *fields;
	unsigned field_count;
	bool is_http_1_0;
	bool keep_alive; /* by version and field Connection */
};

struct http_parser; /* parser of one request, in its arena */

/* Parses a head. text is the whole head and must stay in place: ret_head points into it.
 * field_count is the number of its fields. 501 for a method that llhttp does not know, else 400. */
struct http_protocol_error http_parser_head(struct arena *arena, struct str text,
					    unsigned field_count, struct http_parser **ret_parser,
					    struct http_head *ret_head);

enum http_body_result {
	BODY_MORE,     /* everything was used, more will come */
	BODY_COMPLETE, /* unused bytes belong to the next request */
	BODY_MALFORMED,
	BODY_STOPPED, /* on_piece returned false */
};

/* Parses a body. Calls on_piece with every piece of the decoded body, valid during the call. */
enum http_body_result http_parser_body(struct http_parser *parser, struct str data,
				       bool (*on_piece)(void *context, struct str piece),
				       void *context, size_t *ret_used);

/* Number of bytes of the chunked coding that no body needs, so far: extensions, trailers, and zeros
 * before sizes. */
size_t http_parser_padding(const struct http_parser *parser);

#include "http/parser.h"
#include "base/memory.h"
#include "http/trailer.h"

#include <wire/head.h>

struct http_parser {
	struct wire_parser wire;
	struct http_head *head; /* while it is parsed */
	unsigned fields_max;
	bool (*on_piece)(void *context, struct str piece); /* while a body is parsed */
	void *context;
};

static bool on_field(void *context, const char *name, size_t name_length, const char *value,
		     size_t value_length)
{
	struct http_parser *parser = context;
	struct http_head *head = parser->head;

	if (head->field_count == parser->fields_max)
		return false;
	head->fields[head->field_count++] =
	    (struct http_field){{name, name_length}, {value, value_length}};
	return true;
}

static bool on_body(void *context, const void *data, size_t size)
{
	struct http_parser *parser = context;

	return parser->on_piece(parser->context, (struct str){data, size});
}

static bool allows_trailer(const char *name, size_t length)
{
	return !trailer_is_forbidden((struct str){name, length});
}

static const struct wire_parser_events events = {
    .on_field = on_field,
    .on_body = on_body,
    .allows_trailer = allows_trailer,
};

struct http_protocol_error http_parser_head(struct arena *arena, struct str text,
					    unsigned field_count, struct http_parser **ret_parser,
					    struct http_head *ret_head)
{
	struct http_parser *parser = arena_alloc(arena, sizeof(*parser));
	struct wire_head head;
	enum wire_head_result result;

	*ret_head = (struct http_head){
	    .method = {text.data, str_find(text, ' ')},
	    .fields = arena_alloc(arena, field_count * sizeof(struct http_field)),
	};
	parser->head = ret_head;
	parser->fields_max = field_count;
	result = wire_head_read(&parser->wire, HTTP_REQUEST, &events, parser, text.data,
				text.length, &head);
	if (result == WIRE_HEAD_UNKNOWN_METHOD)
		return HTTP_PROTOCOL_ERROR(PROBLEM_METHOD_UNKNOWN, "the method is unknown");
	/* llhttp and head_scan() must agree on where the head ends and how many fields it has. */
	if (result != WIRE_HEAD_COMPLETE || ret_head->field_count != field_count)
		return HTTP_PROTOCOL_ERROR(PROBLEM_REQUEST_MALFORMED,
					   "the head of the request is malformed");
	ret_head->target = (struct str){head.target, head.target_length};
	ret_head->is_http_1_0 = head.is_http_1_0;
	ret_head->keep_alive = head.keep_alive;
	*ret_parser = parser;
	return HTTP_NO_ERROR;
}

enum http_body_result http_parser_body(struct http_parser *parser, struct str data,
				       bool (*on_piece)(void *context, struct str piece),
				       void *context, size_t *ret_used)
{
	parser->on_piece = on_piece;
	parser->context = context;
	switch (wire_body_read(&parser->wire, parser, data.data, data.length, ret_used)) {
	case WIRE_BODY_MORE:
		return BODY_MORE;
	case WIRE_BODY_COMPLETE:
		return BODY_COMPLETE;
	case WIRE_BODY_STOPPED:
		return BODY_STOPPED;
	case WIRE_BODY_MALFORMED:
		break;
	}
	return BODY_MALFORMED;
}

size_t http_parser_padding(const struct http_parser *parser)
{
	return parser->wire.padding_bytes;
}

#include "http/parser.h"
#include "base/limits.h"
#include "base/memory.h"
#include "http/trailer.h"

#include <llhttp.h>

enum { TRAILER_NAME_BYTES = 64 };

struct http_parser {
	llhttp_t llhttp;
	/* While a head is parsed. */
	struct http_head *head;
	unsigned fields_max;
	/* While a body is parsed. */
	bool (*on_piece)(void *context, struct str piece);
	void *context;
	bool is_stopped; /* by on_piece */
	bool is_complete;
	bool in_lines; /* between chunks, or in the trailer section */
	bool in_trailer;
	bool after_cr;	     /* the last byte of the lines was a CR */
	bool is_refused;     /* a forbidden trailer */
	unsigned line_bytes; /* of the line so far */
	unsigned extension_bytes;
	unsigned trailer_bytes;
	unsigned name_length;
	char name[TRAILER_NAME_BYTES]; /* of a trailer; one that is longer is none that we know */
};

static int on_url(llhttp_t *llhttp, const char *at, size_t length)
{
	struct http_parser *parser = llhttp->data;

	if (!parser->head->target.data)
		parser->head->target.data = at;
	parser->head->target.length += length;
	return 0;
}

static int on_field(llhttp_t *llhttp, const char *at, size_t length)
{
	struct http_parser *parser = llhttp->data;
	struct http_head *head = parser->head;

	if (!head) {
		for (size_t i = 0; i < length; i++) {
			if (parser->name_length < TRAILER_NAME_BYTES)
				parser->name[parser->name_length] = at[i];
			parser->name_length++;
		}
		return 0;
	}
	if (head->field_count == parser->fields_max)
		return HPE_USER;
	if (!head->fields[head->field_count].name.data)
		head->fields[head->field_count].name.data = at;
	head->fields[head->field_count].name.length += length;
	return 0;
}

static int on_field_complete(llhttp_t *llhttp)
{
	struct http_parser *parser = llhttp->data;

	if (parser->head)
		return 0;
	if (parser->name_length <= TRAILER_NAME_BYTES &&
	    trailer_is_forbidden((struct str){parser->name, parser->name_length}))
		parser->is_refused = true;
	parser->name_length = 0;
	return parser->is_refused ? HPE_USER : 0;
}

static int on_value(llhttp_t *llhttp, const char *at, size_t length)
{
	struct http_parser *parser = llhttp->data;
	struct http_head *head = parser->head;

	if (!head)
		return 0;
	if (head->field_count == parser->fields_max)
		return HPE_USER;
	if (!head->fields[head->field_count].value.data)
		head->fields[head->field_count].value.data = at;
	head->fields[head->field_count].value.length += length;
	return 0;
}

static int on_value_complete(llhttp_t *llhttp)
{
	struct http_parser *parser = llhttp->data;
	struct http_head *head = parser->head;

	if (!head)
		return 0;
	if (head->field_count == parser->fields_max)
		return HPE_USER;
	head->fields[head->field_count].value = str_trim(head->fields[head->field_count].value);
	head->field_count++;
	return 0;
}

static int on_headers_complete(llhttp_t *llhttp)
{
	struct http_parser *parser = llhttp->data;

	parser->head->keep_alive = llhttp_should_keep_alive(llhttp);
	parser->head->is_http_1_0 = llhttp->http_minor == 0;
	return HPE_PAUSED;
}

static int on_body(llhttp_t *llhttp, const char *at, size_t length)
{
	struct http_parser *parser = llhttp->data;

	if (parser->on_piece(parser->context, (struct str){at, length}))
		return 0;
	parser->is_stopped = true;
	return HPE_USER;
}

/* Here and at a chunk's end llhttp stops, so that it is known which bytes are lines. */
static int on_chunk_header(llhttp_t *llhttp)
{
	(void)llhttp;
	return HPE_PAUSED;
}

/* Not at the end of the last chunk, which is the end of the message. */
static int on_chunk_complete(llhttp_t *llhttp)
{
	struct http_parser *parser = llhttp->data;

	return parser->in_trailer ? 0 : HPE_PAUSED;
}

static int on_message_complete(llhttp_t *llhttp)
{
	struct http_parser *parser = llhttp->data;

	parser->is_complete = true;
	return HPE_PAUSED;
}

static llhttp_settings_t settings = {
    .on_url = on_url,
    .on_header_field = on_field,
    .on_header_field_complete = on_field_complete,
    .on_header_value = on_value,
    .on_header_value_complete = on_value_complete,
    .on_headers_complete = on_headers_complete,
    .on_body = on_body,
    .on_chunk_header = on_chunk_header,
    .on_chunk_complete = on_chunk_complete,
    .on_message_complete = on_message_complete,
};

struct refusal http_parser_head(struct arena *arena, struct str text, unsigned field_count,
				struct http_parser **ret_parser, struct http_head *ret_head)
{
	struct http_parser *parser = arena_zalloc(arena, sizeof(*parser));
	llhttp_errno_t error;

	*ret_head = (struct http_head){
	    .method = {text.data, str_find(text, ' ')},
	    .fields = arena_zalloc(arena, field_count * sizeof(struct http_field)),
	};
	parser->head = ret_head;
	parser->fields_max = field_count;
	llhttp_init(&parser->llhttp, HTTP_REQUEST, &settings);
	parser->llhttp.data = parser;
	error = llhttp_execute(&parser->llhttp, text.data, text.length);
	parser->head = NULL;
	parser->in_lines = true;
	/* The second for the methods of RTSP: the protocol is known to be HTTP/1. */
	if (error == HPE_INVALID_METHOD || error == HPE_INVALID_CONSTANT)
		return REFUSE(501, "the method is not known here");
	/* HTTP/2's preface and the end of a head that head_scan() sees elsewhere end here, too. */
	if (error != HPE_PAUSED || ret_head->field_count != field_count ||
	    llhttp_get_error_pos(&parser->llhttp) != text.data + text.length)
		return REFUSE(400, "the head of the request is malformed");
	*ret_parser = parser;
	return REFUSE_NOTHING;
}

/* The bytes of chunk lines and trailers: visible or white space, every line ends with CR LF, and
 * nothing is longer than it may be. */
static bool check_lines(struct http_parser *parser, struct str lines)
{
	for (size_t i = 0; i < lines.length; i++) {
		unsigned char c = (unsigned char)lines.data[i];

		if (parser->after_cr != (c == '\n'))
			return false;
		parser->after_cr = c == '\r';
		if (c == 0x7f || (c < 0x20 && c != '\t' && c != '\r' && c != '\n') ||
		    (c >= 0x80 && !parser->in_trailer))
			return false;
		parser->line_bytes = c == '\n' ? 0 : parser->line_bytes + 1;
		if (parser->in_trailer) {
			if (++parser->trailer_bytes > LIMIT_TRAILER_BYTES)
				return false;
		} else if (parser->line_bytes > LIMIT_CHUNK_LINE_BYTES) {
			return false;
		}
		/* A size needs no more digits than these. */
		if (!parser->in_trailer && parser->line_bytes > 16 &&
		    ++parser->extension_bytes > LIMIT_CHUNK_EXTENSION_BYTES)
			return false;
	}
	return true;
}

/* Behind the bytes that llhttp took without an error or up to where it stopped. */
static bool follow_lines(struct http_parser *parser, struct str taken)
{
	bool is_paused = llhttp_get_errno(&parser->llhttp) == HPE_PAUSED;

	if (!(parser->llhttp.flags & F_CHUNKED))
		return true;
	if (parser->in_lines && !check_lines(parser, taken))
		return false;
	if (!is_paused || parser->is_complete)
		return true;
	if (!parser->in_lines) {
		parser->in_lines = true; /* behind a chunk's data */
	} else {
		parser->in_trailer = parser->llhttp.content_length == 0;
		parser->in_lines = parser->in_trailer;
	}
	return true;
}

enum http_body_result http_parser_body(struct http_parser *parser, struct str data,
				       bool (*on_piece)(void *context, struct str piece),
				       void *context, size_t *ret_used)
{
	size_t used = 0;

	parser->on_piece = on_piece;
	parser->context = context;
	while (used < data.length) {
		struct str rest = str_from_offset(data, used);
		size_t taken = rest.length;
		llhttp_errno_t error;

		if (llhttp_get_errno(&parser->llhttp) == HPE_PAUSED)
			llhttp_resume(&parser->llhttp);
		error = llhttp_execute(&parser->llhttp, rest.data, rest.length);
		if (parser->is_stopped)
			return BODY_STOPPED;
		if (error == HPE_PAUSED || error == HPE_PAUSED_UPGRADE)
			taken = (size_t)(llhttp_get_error_pos(&parser->llhttp) - rest.data);
		else if (error != HPE_OK)
			return BODY_MALFORMED;
		if (!follow_lines(parser, (struct str){rest.data, taken}))
			return BODY_MALFORMED;
		used += taken;
		if (parser->is_complete) {
			*ret_used = used;
			return BODY_COMPLETE;
		}
	}
	*ret_used = used;
	return BODY_MORE;
}

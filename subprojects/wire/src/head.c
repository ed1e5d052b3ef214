#include "wire/head.h"
#include "chunk_extension.h"

#include <string.h>
#include <strings.h>

static int on_target(llhttp_t *llhttp, const char *at, size_t length)
{
	struct wire_head *head = ((struct wire_parser *)llhttp->data)->head;

	if (!head->target)
		head->target = at;
	head->target_length += length;
	return 0;
}

static int on_name(llhttp_t *llhttp, const char *at, size_t length)
{
	struct wire_parser *parser = llhttp->data;

	if (parser->head) {
		if (!parser->name)
			parser->name = at;
		parser->name_length += length;
		return 0;
	}
	for (size_t i = 0; i < length; i++) {
		if (parser->trailer_name_length < WIRE_TRAILER_NAME_MAX)
			parser->trailer_name[parser->trailer_name_length] = at[i];
		parser->trailer_name_length++;
	}
	return 0;
}

static int on_name_complete(llhttp_t *llhttp)
{
	struct wire_parser *parser = llhttp->data;
	unsigned length = parser->trailer_name_length;

	parser->trailer_name_length = 0;
	if (parser->head || !parser->events->allows_trailer || length > WIRE_TRAILER_NAME_MAX ||
	    parser->events->allows_trailer(parser->trailer_name, length))
		return 0;
	return HPE_USER;
}

static int on_value(llhttp_t *llhttp, const char *at, size_t length)
{
	struct wire_parser *parser = llhttp->data;

	if (!parser->head)
		return 0;
	if (!parser->value)
		parser->value = at;
	parser->value_length += length;
	return 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static int on_value_complete(llhttp_t *llhttp)
{
	struct wire_parser *parser = llhttp->data;
	const char *value = parser->value;
	size_t length = parser->value_length;
	bool goes_on;

	if (!parser->head)
		return 0;
	while (length > 0 && is_blank(value[length - 1]))
		length--;
	for (; length > 0 && is_blank(*value); length--)
		value++;
	goes_on = parser->events->on_field(parser->context, parser->name, parser->name_length,
					   value, length);
	parser->name = parser->value = NULL;
	parser->name_length = parser->value_length = 0;
	return goes_on ? 0 : HPE_USER;
}

static int on_headers_complete(llhttp_t *llhttp)
{
	struct wire_head *head = ((struct wire_parser *)llhttp->data)->head;

	head->keep_alive = llhttp_should_keep_alive(llhttp);
	head->is_http_1_0 = llhttp->http_minor == 0;
	head->status = llhttp->status_code;
	return HPE_PAUSED;
}

static int on_body(llhttp_t *llhttp, const char *at, size_t length)
{
	struct wire_parser *parser = llhttp->data;

	if (parser->events->on_body(parser->context, at, length))
		return 0;
	parser->is_stopped = true;
	return HPE_USER;
}

/* Stops llhttp here and at a chunk's end, so that the bytes of lines are known. */
static int on_chunk_header(llhttp_t *llhttp)
{
	(void)llhttp;
	return HPE_PAUSED;
}

/* Pauses, but not at the end of the last chunk, which is the end of the message. */
static int on_chunk_complete(llhttp_t *llhttp)
{
	struct wire_parser *parser = llhttp->data;

	return parser->in_trailer ? 0 : HPE_PAUSED;
}

static int on_message_complete(llhttp_t *llhttp)
{
	struct wire_parser *parser = llhttp->data;

	parser->is_complete = true;
	return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
    .on_url = on_target,
    .on_header_field = on_name,
    .on_header_field_complete = on_name_complete,
    .on_header_value = on_value,
    .on_header_value_complete = on_value_complete,
    .on_headers_complete = on_headers_complete,
    .on_body = on_body,
    .on_chunk_header = on_chunk_header,
    .on_chunk_complete = on_chunk_complete,
    .on_message_complete = on_message_complete,
};

enum wire_head_result wire_head_read(struct wire_parser *parser, llhttp_type_t type,
				     const struct wire_parser_events *events, void *context,
				     const char *text, size_t length, struct wire_head *ret_head)
{
	llhttp_errno_t error;

	*ret_head = (struct wire_head){0};
	memset(parser, 0, sizeof(*parser));
	parser->events = events;
	parser->context = context;
	parser->head = ret_head;
	llhttp_init(&parser->llhttp, type, &settings);
	parser->llhttp.data = parser;
	error = llhttp_execute(&parser->llhttp, text, length);
	parser->head = NULL;
	parser->in_lines = true;
	/* The second error is that for methods of RTSP; the protocol is known to be HTTP/1. */
	if (type == HTTP_REQUEST && (error == HPE_INVALID_METHOD || error == HPE_INVALID_CONSTANT))
		return WIRE_HEAD_UNKNOWN_METHOD;
	/* HTTP/2's preface is refused here, too, and a head that ends at another position than
	 * expected. */
	if (error != HPE_PAUSED || llhttp_get_error_pos(&parser->llhttp) != text + length)
		return WIRE_HEAD_MALFORMED;
	return WIRE_HEAD_COMPLETE;
}

/* Counts a byte of the trailer section. Returns false if that is too long. */
static bool count_trailer(struct wire_parser *parser)
{
	enum { END_BYTES = 2 }; /* the empty line */

	parser->trailer_bytes++;
	parser->padding_bytes += parser->trailer_bytes > END_BYTES;
	return parser->trailer_bytes <= WIRE_TRAILERS_MAX;
}

/* Counts a byte of a chunk line. Returns false if the line or all extensions are too long. */
static bool count_chunk_line(struct wire_parser *parser, char c, bool is_extension)
{
	enum { SIZE_MAX_DIGITS = 16 }; /* more are zeros */
	bool is_end = c == '\r' || c == '\n';
	bool is_digit = !is_extension && !is_end;

	/* With this digit, those before it are known to be zeros that precede the size. */
	if (is_extension || (is_digit && parser->line_bytes > 1 && !parser->has_size))
		parser->padding_bytes++;
	parser->has_size = !is_end && (parser->has_size || (is_digit && c != '0'));
	if (is_extension || (is_digit && parser->line_bytes > SIZE_MAX_DIGITS))
		parser->extension_bytes++;
	return parser->line_bytes <= WIRE_CHUNK_LINE_MAX &&
	       parser->extension_bytes <= WIRE_CHUNK_EXTENSIONS_MAX;
}

/* Checks the bytes of chunk lines and trailers: only visible characters and white space, CR LF at
 * the end of each line, and no line too long. */
static bool check_lines(struct wire_parser *parser, const char *lines, size_t length,
			bool is_extension)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)lines[i];

		if (parser->after_cr != (c == '\n'))
			return false;
		parser->after_cr = c == '\r';
		if (c == 0x7f || (c < 0x20 && c != '\t' && c != '\r' && c != '\n') ||
		    (c >= 0x80 && !parser->in_trailer))
			return false;
		parser->line_bytes = c == '\n' ? 0 : parser->line_bytes + 1;
		if (parser->in_trailer ? !count_trailer(parser)
				       : !count_chunk_line(parser, lines[i], is_extension))
			return false;
	}
	return true;
}

/* Checks the lines in the bytes that llhttp has taken, up to an error or where it stopped. */
static bool follow_lines(struct wire_parser *parser, const char *taken, size_t length)
{
	bool is_paused = llhttp_get_errno(&parser->llhttp) == HPE_PAUSED;

	if (!(parser->llhttp.flags & F_CHUNKED))
		return true;
	if (parser->in_lines && !check_lines(parser, taken, length, /* is_extension= */ false))
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

/* Whether the parser is in the line of a chunk's size, behind its first digit. */
static bool is_in_size_line(const struct wire_parser *parser)
{
	return (parser->llhttp.flags & F_CHUNKED) && parser->in_lines && !parser->in_trailer;
}

/* Returns how many bytes llhttp may get: those before a chunk's extensions. */
static size_t before_extension(const struct wire_parser *parser, const char *bytes, size_t size)
{
	size_t at = 0;

	if (!is_in_size_line(parser) || parser->after_cr)
		return size;
	while (at < size && bytes[at] != '\n') {
		if (chunk_extension_begins(bytes[at]) && parser->line_bytes + at > 0)
			return at;
		at++;
	}
	return size;
}

/* Reads the bytes of extensions, up to the CR that ends them. Returns false if they are malformed.
 */
static bool take_extension(struct wire_parser *parser, const char *bytes, size_t size,
			   size_t *ret_taken)
{
	enum chunk_extension state = (enum chunk_extension)parser->extension;
	size_t at = 0;

	*ret_taken = 0;
	if (!is_in_size_line(parser) || parser->line_bytes == 0 || parser->after_cr || size == 0 ||
	    (state == CHUNK_EXTENSION_NONE && !chunk_extension_begins(bytes[0])))
		return true;
	while (at < size && bytes[at] != '\r') {
		if (!chunk_extension_take(&state, bytes[at]))
			return false;
		at++;
	}
	if (at < size && !chunk_extension_may_end(state))
		return false;
	parser->extension = at < size ? CHUNK_EXTENSION_NONE : (int)state;
	*ret_taken = at;
	return check_lines(parser, bytes, at, /* is_extension= */ true);
}

enum wire_body_result wire_body_read(struct wire_parser *parser, void *context, const void *data,
				     size_t size, size_t *ret_used)
{
	const char *bytes = data;
	size_t used = 0;

	parser->context = context;
	do {
		size_t skipped, taken;
		llhttp_errno_t error;

		if (!take_extension(parser, bytes + used, size - used, &skipped))
			return WIRE_BODY_MALFORMED;
		used += skipped;
		taken = before_extension(parser, bytes + used, size - used);
		if (skipped && used == size)
			break;

		if (llhttp_get_errno(&parser->llhttp) == HPE_PAUSED)
			llhttp_resume(&parser->llhttp);
		error = llhttp_execute(&parser->llhttp, bytes + used, taken);
		if (parser->is_stopped)
			return WIRE_BODY_STOPPED;
		if (error == HPE_PAUSED || error == HPE_PAUSED_UPGRADE)
			taken = (size_t)(llhttp_get_error_pos(&parser->llhttp) - bytes) - used;
		else if (error != HPE_OK)
			return WIRE_BODY_MALFORMED;
		if (!follow_lines(parser, bytes + used, taken))
			return WIRE_BODY_MALFORMED;
		used += taken;
	} while (!parser->is_complete && used < size);
	*ret_used = used;
	return parser->is_complete ? WIRE_BODY_COMPLETE : WIRE_BODY_MORE;
}

bool wire_body_ends(struct wire_parser *parser)
{
	if (llhttp_get_errno(&parser->llhttp) == HPE_PAUSED)
		llhttp_resume(&parser->llhttp);
	llhttp_finish(&parser->llhttp);
	return parser->is_complete;
}

bool wire_list_has(const char *list, size_t length, const char *token)
{
	size_t token_length = strlen(token);

	for (size_t i = 0, end; i < length; i = end + 1) {
		const char *comma = memchr(list + i, ',', length - i);
		size_t last;

		end = comma ? (size_t)(comma - list) : length;
		while (i < end && is_blank(list[i]))
			i++;
		last = end;
		while (last > i && is_blank(list[last - 1]))
			last--;
		if (last - i == token_length && strncasecmp(list + i, token, token_length) == 0)
			return true;
	}
	return false;
}

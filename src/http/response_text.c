#include "http/response_text.h"
#include "base/decimal.h"
#include "base/memory.h"
#include "base/require.h"

#include <stdio.h>
#include <text/utf8.h>

/* A body up to this size is copied after its head: writing one piece costs the kernel less than
 * writing two. */
enum { SHORT_BODY_BYTES = 2048 };

static const struct {
	int status;
	const char *text;
} status_texts[] = {
    {100, "Continue"},
    {101, "Switching Protocols"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {426, "Upgrade Required"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
};

const char *http_status_text(int status)
{
	for (size_t i = 0; i < array_length(status_texts); i++) {
		if (status_texts[i].status == status)
			return status_texts[i].text;
	}
	return "Unknown";
}

/* Text that grows into memory of the right size. */
struct out {
	char *at;
};

/* Inlined: copying a constant then takes an instruction or two. */
__attribute__((always_inline)) static inline void put(struct out *out, struct str text)
{
	if (text.length)
		memcpy(out->at, text.data, text.length);
	out->at += text.length;
}

__attribute__((always_inline)) static inline void put_field(struct out *out, struct str name,
							    struct str value)
{
	put(out, name);
	put(out, STR(": "));
	put(out, value);
	put(out, STR("\r\n"));
}

static void put_number(struct out *out, size_t number)
{
	char digits[DECIMAL_BYTES_MAX];

	put(out, (struct str){digits, decimal_format((int64_t)number, digits)});
}

bool http_status_has_body(int status)
{
	return status >= 200 && status != 204 && status != 304;
}

static bool has_no_body(const struct http_exchange *exchange, const struct http_response *response)
{
	return exchange->request.method == HTTP_HEAD || !http_status_has_body(response->status);
}

/* Room for everything that response_text() adds itself. */
static size_t head_size(const struct http_exchange *exchange, const struct http_response *response,
			const char *status_text)
{
	size_t size = 256 + strlen(status_text) + response->content_type.length +
		      exchange->request.request_id.length;

	for (unsigned i = 0; i < response->field_count; i++)
		size += response->fields[i].name.length + response->fields[i].value.length + 4;
	return size;
}

struct str response_text(struct http_exchange *exchange, struct http_date *date,
			 const struct http_response *response, bool close, struct str *ret_rest)
{
	const char *status_text = http_status_text(response->status);
	struct str body = has_no_body(exchange, response) ? STR("") : response->body;
	struct str short_body = body.length <= SHORT_BODY_BYTES ? body : STR("");
	size_t size = head_size(exchange, response, status_text) + short_body.length;
	char *start = arena_alloc(&exchange->request.arena, size);
	struct out out = {start};
	bool has_length = !exchange->stream_later && http_status_has_body(response->status);

	put(&out, STR("HTTP/1.1 "));
	put_number(&out, (size_t)response->status);
	put(&out, STR(" "));
	put(&out, str_from(status_text));
	put(&out, STR("\r\n"));
	put_field(&out, STR("Date"), http_date_now(date));
	if (response->content_type.length)
		put_field(&out, STR("Content-Type"), response->content_type);
	if (has_length) {
		put(&out, STR("Content-Length: "));
		put_number(&out, response->body.length);
		put(&out, STR("\r\n"));
	}
	if (exchange->is_chunked)
		put(&out, STR("Transfer-Encoding: chunked\r\n"));
	for (unsigned i = 0; i < response->field_count; i++)
		put_field(&out, response->fields[i].name, response->fields[i].value);
	put_field(&out, STR("X-Request-Id"), exchange->request.request_id);
	if (close)
		put_field(&out, STR("Connection"), STR("close"));
	else if (exchange->is_http_1_0)
		put_field(&out, STR("Connection"), STR("keep-alive"));
	put(&out, STR("\r\n"));
	put(&out, short_body);
	require((size_t)(out.at - start) <= size);
	*ret_rest = str_from_offset(body, short_body.length);
	return (struct str){start, (size_t)(out.at - start)};
}

struct str json_quote(struct arena *arena, struct str text)
{
	bool is_utf8 = utf8_is_valid(text);
	char *start = arena_alloc(arena, text.length * 6 + 3);
	char *at = start;

	*at++ = '"';
	while (text.length) {
		struct str rest = text;
		uint32_t c = is_utf8 ? utf8_next(&rest) : (unsigned char)text.data[0];
		size_t length = is_utf8 ? text.length - rest.length : 1;

		if (c == '"' || c == '\\') {
			*at++ = '\\';
			*at++ = (char)c;
		} else if (!is_utf8 && c >= 0x80) {
			*at++ = '?';
		} else if (utf8_is_steering(c)) {
			utf8_escape(c, at);
			at += UTF8_ESCAPE_BYTES;
		} else {
			memcpy(at, text.data, length);
			at += length;
		}
		text = str_from_offset(text, length);
	}
	*at++ = '"';
	*at = '\0';
	return (struct str){start, (size_t)(at - start)};
}

struct str problem_text(struct arena *arena, const struct problem_kind *kind, struct str detail,
			struct str extra_members)
{
	struct str quoted = json_quote(arena, detail);

	return arena_printf(
	    arena,
	    "{\"type\":\"about:blank\",\"title\":\"%s\",\"status\":%d,\"code\":\"%s\"%s%.*s%s%.*s}",
	    http_status_text(kind->status), kind->status, kind->code,
	    detail.length ? ",\"detail\":" : "", detail.length ? (int)quoted.length : 0,
	    quoted.data, extra_members.length ? "," : "", STR_ARG(extra_members));
}

#include "../cmocka_test.h"
#include "base/buffer.h"
#include "base/limits.h"
#include "http/parser.h"

TEST(heads)
{
	struct str text = STR("POST /a?b HTTP/1.1\r\nHost: a\r\nX:\r\nY:  b \t\r\nZ: c\r\n\r\n");
	struct arena arena = {0};
	struct http_parser *parser;
	struct http_head head;

	assert_null(http_parser_head(&arena, text, 4, &parser, &head).kind);
	assert_true(str_equal(head.method, STR("POST")));
	assert_true(str_equal(head.target, STR("/a?b")));
	assert_int_equal(head.field_count, 4);
	assert_true(str_equal(head.fields[0].name, STR("Host")));
	assert_int_equal(head.fields[1].value.length, 0);
	assert_true(str_equal(head.fields[2].value, STR("b")));
	assert_true(head.keep_alive && !head.is_http_1_0);
	arena_finish(&arena);
}

static int head_status(struct str text, unsigned fields, struct http_head *ret_head)
{
	struct arena arena = {0};
	struct http_parser *parser;
	struct http_protocol_error error =
	    http_parser_head(&arena, text, fields, &parser, ret_head);

	arena_finish(&arena);
	return error.kind ? error.kind->status : 0;
}

TEST(versions_and_methods)
{
	struct http_head head;

	assert_int_equal(head_status(STR("GET / HTTP/1.0\r\n\r\n"), 0, &head), 0);
	assert_true(head.is_http_1_0 && !head.keep_alive);
	assert_int_equal(
	    head_status(STR("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"), 1, &head), 0);
	assert_true(head.keep_alive);
	assert_int_equal(
	    head_status(STR("GET / HTTP/1.1\r\nConnection: a, close\r\n\r\n"), 1, &head), 0);
	assert_false(head.keep_alive);
	assert_int_equal(head_status(STR("get / HTTP/1.1\r\n\r\n"), 0, &head), 501);
	assert_int_equal(head_status(STR("SETUP / HTTP/1.1\r\n\r\n"), 0, &head), 501);
	assert_int_equal(head_status(STR("M-SEARCH / HTTP/1.1\r\n\r\n"), 0, &head), 0);
	/* Heads that head_scan() and llhttp count differently are rejected. */
	assert_int_equal(head_status(STR("GET / HTTP/1.1\r\na: b\r\n\r\n"), 0, &head), 400);
	assert_int_equal(head_status(STR("GET / HTTP/1.1\r\na: b\r\n\r\n"), 2, &head), 400);
	assert_int_equal(head_status(STR("GET / HTTP/1.1\r\n\r\nGET"), 0, &head), 400);
	assert_int_equal(head_status(STR("GET / HTTP/1.1\r\n"), 0, &head), 400);
}

static bool keep(void *context, struct str piece)
{
	buffer_append_str(context, piece);
	return true;
}

static bool stop(void *context, struct str piece)
{
	(void)context;
	(void)piece;
	return false;
}

/* Feeds the text in pieces. The decoded bytes are in *ret_body, the number of used ones in
 * *ret_used. */
static enum http_body_result body(struct str text, size_t piece, struct buffer *ret_body,
				  size_t *ret_used)
{
	struct str head_text = STR("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
	enum http_body_result result = BODY_MORE;
	struct arena arena = {0};
	struct http_parser *parser;
	struct http_head head;
	size_t total = 0;

	assert_null(http_parser_head(&arena, head_text, 1, &parser, &head).kind);
	while (total < text.length && result == BODY_MORE) {
		size_t left = text.length - total;
		struct str data = {text.data + total, left < piece ? left : piece};
		size_t used = 0;

		result = http_parser_body(parser, data, keep, ret_body, &used);
		if (result == BODY_MORE)
			assert_int_equal(used, data.length);
		total += used;
	}
	*ret_used = total;
	arena_finish(&arena);
	return result;
}

TEST(chunked_bodies)
{
	struct str text = STR("5\r\nhello\r\n1;a=b;c=\"d e\"\r\n \r\n00A\r\n0123456789\r\n"
			      "0\r\nX: y\r\nZ:\r\n\r\nGET /");

	for (size_t piece = 1; piece <= text.length; piece++) {
		struct buffer bytes = {0};
		size_t used;

		assert_int_equal(body(text, piece, &bytes, &used), BODY_COMPLETE);
		assert_int_equal(used, text.length - 5);
		assert_true(str_equal(buffer_view(&bytes), STR("hello 0123456789")));
		buffer_finish(&bytes);
	}
}

/* Changes one byte anywhere outside the data: the body never completes, whatever follows it. */
TEST(every_bad_byte)
{
	const struct str good = STR("5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n");
	const char bad[] = {'\0', '\n', '\r', '\x01', '\x7f'};

	for (size_t place = 0; place < good.length; place++) {
		for (size_t i = 0; i < sizeof(bad); i++) {
			for (size_t piece = 1; piece < 30; piece += 14) {
				struct buffer bytes = {0};
				char text[64] = {0};
				size_t used;

				if ((place >= 7 && place < 12) || good.data[place] == bad[i])
					continue;
				memcpy(text, good.data, good.length);
				text[place] = bad[i];
				assert_int_equal(
				    body((struct str){text, sizeof(text)}, piece, &bytes, &used),
				    BODY_MALFORMED);
				buffer_finish(&bytes);
			}
		}
	}
}

TEST(stopped_bodies)
{
	struct str head_text = STR("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n");
	struct arena arena = {0};
	struct http_parser *parser;
	struct http_head head;
	size_t used;

	assert_null(http_parser_head(&arena, head_text, 1, &parser, &head).kind);
	assert_int_equal(http_parser_body(parser, STR("hello"), stop, NULL, &used), BODY_STOPPED);
	arena_finish(&arena);
}

TEST(bodies_with_a_length)
{
	struct str head_text = STR("POST / HTTP/1.1\r\nContent-Length: 5\r\n"
				   "Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n");

	for (size_t piece = 1; piece < 6; piece++) {
		struct buffer bytes = {0};
		struct arena arena = {0};
		struct http_parser *parser;
		struct http_head head;
		size_t used;

		assert_null(http_parser_head(&arena, head_text, 3, &parser, &head).kind);
		assert_int_equal(
		    http_parser_body(parser, (struct str){"hello", piece}, keep, &bytes, &used),
		    piece == 5 ? BODY_COMPLETE : BODY_MORE);
		assert_int_equal(used, piece);
		if (piece < 5)
			assert_int_equal(http_parser_body(parser,
							  str_from_offset(STR("helloGET"), piece),
							  keep, &bytes, &used),
					 BODY_COMPLETE);
		assert_int_equal(used, piece < 5 ? 5 - piece : 5);
		assert_true(str_equal(buffer_view(&bytes), STR("hello")));
		buffer_finish(&bytes);
		arena_finish(&arena);
	}
}

RUN_TESTS(NULL, NULL)

/* Heads, and bodies in every split of their bytes. The input is in memory of exactly its size, so
 * that a sanitizer detects a read beyond it. */
#include "wire/head.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../../../test/unit/cmocka_test.h"

enum { TEXT_MAX = 64 * 1024 };

/* Events of the parser, as text: "a=b;" a field, the body as it is. */
static struct {
	char text[TEXT_MAX];
	size_t length;
	int stop_after; /* events; -1: never */
} heard;

static bool hear(const char *text, size_t length)
{
	assert_true(heard.length + length < sizeof(heard.text));
	memcpy(heard.text + heard.length, text, length);
	heard.length += length;
	heard.text[heard.length] = 0;
	return true;
}

static bool on_field(void *context, const char *name, size_t name_length, const char *value,
		     size_t value_length)
{
	assert_ptr_equal(context, &heard);
	hear(name, name_length);
	hear("=", 1);
	hear(value, value_length);
	hear(";", 1);
	return heard.stop_after < 0 || heard.stop_after-- > 0;
}

static bool on_body(void *context, const void *data, size_t size)
{
	assert_ptr_equal(context, &heard);
	hear(data, size);
	return heard.stop_after < 0 || heard.stop_after-- > 0;
}

static bool allows_trailer(const char *name, size_t length)
{
	return !(length == 4 && strncasecmp(name, "host", 4) == 0);
}

static const struct wire_parser_events events = {on_field, on_body, allows_trailer};
static struct wire_parser parser;
static struct wire_head head;
static char *head_text;

static enum wire_head_result read_head(llhttp_type_t type, const char *text, size_t length)
{
	free(head_text);
	head_text = malloc(length ? length : 1);
	assert_non_null(head_text);
	memcpy(head_text, text, length);
	heard.length = 0;
	heard.text[0] = 0;
	heard.stop_after = -1;
	return wire_head_read(&parser, type, &events, &heard, head_text, length, &head);
}

static enum wire_head_result read_request(const char *text)
{
	return read_head(HTTP_REQUEST, text, strlen(text));
}

static int finish(void **state)
{
	(void)state;
	free(head_text);
	head_text = NULL;
	return 0;
}

TEST(a_request)
{
	static const char target[] = "/a?b=%20";

	assert_int_equal(read_request("GET /a?b=%20 HTTP/1.1\r\nHost: x\r\nA:b\r\nEmpty:\r\n"
				      "Blank: \t in side \t \r\n\r\n"),
			 WIRE_HEAD_COMPLETE);
	assert_int_equal(head.target_length, strlen(target));
	assert_memory_equal(head.target, target, strlen(target));
	assert_string_equal(heard.text, "Host=x;A=b;Empty=;Blank=in side;");
	assert_true(head.keep_alive);
	assert_false(head.is_http_1_0);
}

TEST(versions_and_connections)
{
	static const struct {
		const char *text;
		bool is_http_1_0, keep_alive;
	} cases[] = {
	    {"GET / HTTP/1.1\r\n\r\n", false, true},
	    {"GET / HTTP/1.1\r\nConnection: close\r\n\r\n", false, false},
	    {"GET / HTTP/1.1\r\nConnection: a, CLOSE ,b\r\n\r\n", false, false},
	    {"GET / HTTP/1.0\r\n\r\n", true, false},
	    {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true, true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(read_request(cases[i].text), WIRE_HEAD_COMPLETE);
		assert_int_equal(head.is_http_1_0, cases[i].is_http_1_0);
		assert_int_equal(head.keep_alive, cases[i].keep_alive);
	}
}

TEST(a_response)
{
	static const char text[] = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
				   "Connection: Upgrade\r\n\r\n";

	assert_int_equal(read_head(HTTP_RESPONSE, text, strlen(text)), WIRE_HEAD_COMPLETE);
	assert_int_equal(head.status, 101);
	assert_string_equal(heard.text, "Upgrade=websocket;Connection=Upgrade;");
}

TEST(hostile_heads)
{
	static const char *const cases[] = {
	    "",
	    "GET",
	    "GET / HTTP/1.1\r\n",
	    "GET / HTTP/1.1\r\nA: b\r\n",
	    "GET / HTTP/1.1\r\nA: b\r\n\r\nmore",
	    "GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n",
	    "GET / HTTP/1.1 \r\n\r\n",
	    "GET / HTTP/1.1\r\n: b\r\n\r\n",
	    "GET / HTTP/1.1\r\nA : b\r\n\r\n",
	    "GET / HTTP/1.1\r\nA\r\n\r\n",
	    "GET / HTTP/1.1\r\n A: b\r\n\r\n",
	    "GET / HTTP/1.1\r\nA: b\x01\r\n\r\n",
	    "GET / HTTP/1.1\r\nA: b\r\r\n\r\n",
	    "GET / HTTP/1.1\r\nA: b\nC: d\r\n\r\n",
	    "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
	    "GET / HTTP/1.1\r\nContent-Length: 1, 1\r\n\r\n",
	    "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
	    "GET / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
	    "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
	    "POST / HTTP/1.1\r\nTransfer-Encoding: chunked, gzip\r\n\r\n",
	    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (read_request(cases[i]) != WIRE_HEAD_MALFORMED)
			fail_msg("%zu is taken: %s", i, cases[i]);
	assert_int_equal(read_head(HTTP_REQUEST, "GET /\0 HTTP/1.1\r\n\r\n", 19),
			 WIRE_HEAD_MALFORMED);
	assert_int_equal(read_head(HTTP_REQUEST, "GET / HTTP/1.1\r\nA: \0\r\n\r\n", 24),
			 WIRE_HEAD_MALFORMED);
	assert_int_equal(read_request("BREW / HTTP/1.1\r\n\r\n"), WIRE_HEAD_UNKNOWN_METHOD);
	assert_int_equal(read_request("get / HTTP/1.1\r\n\r\n"), WIRE_HEAD_UNKNOWN_METHOD);
}

TEST(a_user_may_stop_a_head)
{
	static const char text[] = "GET / HTTP/1.1\r\nA: b\r\nC: d\r\nE: f\r\n\r\n";

	read_request("");
	heard.stop_after = 1;
	assert_int_equal(
	    wire_head_read(&parser, HTTP_REQUEST, &events, &heard, text, strlen(text), &head),
	    WIRE_HEAD_MALFORMED);
	assert_string_equal(heard.text, "A=b;C=d;");
}

/* ---- bodies ---- */

static const char chunked_head[] = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";

/* Reads bytes in a first piece and others of one size; the result of the last piece. *ret_used:
 * what the message took of them. */
static enum wire_body_result read_pieces(const char *text, size_t length, size_t first, size_t step,
					 size_t *ret_used)
{
	enum wire_body_result result = WIRE_BODY_MORE;
	size_t at = 0;

	while (result == WIRE_BODY_MORE && at < length) {
		size_t size = at ? step : first;
		size_t used = 0;
		char *exact;

		size = size < length - at ? size : length - at;
		exact = malloc(size);
		assert_non_null(exact);
		memcpy(exact, text + at, size);
		result = wire_body_read(&parser, &heard, exact, size, &used);
		free(exact);
		if (result == WIRE_BODY_MORE)
			assert_int_equal(used, size);
		at += used;
	}
	*ret_used = at;
	return result;
}

/* Parses in every split in two and in steps of 1 to 3 bytes: same result and body each time. */
static void expect_of(const char *head_of_it, const char *text, size_t length,
		      enum wire_body_result expected, const char *body, size_t used)
{
	for (size_t first = 1; first <= length; first++) {
		size_t step = first <= 3 ? first : length;
		size_t taken;
		enum wire_body_result result;

		assert_int_equal(read_request(head_of_it), WIRE_HEAD_COMPLETE);
		heard.length = 0;
		heard.text[0] = 0;
		result = read_pieces(text, length, first, step, &taken);
		if (result != expected)
			fail_msg("result %d at %zu of %s", result, first, text);
		if (expected != WIRE_BODY_MALFORMED) {
			assert_string_equal(heard.text, body);
			assert_int_equal(taken, used);
		}
	}
}

static void expect(const char *text, enum wire_body_result expected, const char *body, size_t used)
{
	expect_of(chunked_head, text, strlen(text), expected, body, used);
}

TEST(bodies_of_a_known_length)
{
	static const char four[] = "POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\n";
	size_t used = 1;

	expect_of(four, "abcd", 4, WIRE_BODY_COMPLETE, "abcd", 4);
	expect_of(four, "abcdGET", 7, WIRE_BODY_COMPLETE, "abcd", 4);
	expect_of(four, "abc", 3, WIRE_BODY_MORE, "abc", 3);
	assert_int_equal(read_request("GET / HTTP/1.1\r\n\r\n"), WIRE_HEAD_COMPLETE);
	assert_int_equal(wire_body_read(&parser, &heard, "GET", 3, &used), WIRE_BODY_COMPLETE);
	assert_int_equal(used, 0);
}

TEST(chunked_bodies)
{
	expect("0\r\n\r\n", WIRE_BODY_COMPLETE, "", 5);
	expect("3\r\nabc\r\n0\r\n\r\nGET", WIRE_BODY_COMPLETE, "abc", 13);
	expect("3\r\nabc\r\nA\r\n0123456789\r\n000\r\n\r\n", WIRE_BODY_COMPLETE, "abc0123456789",
	       30);
	expect("3;a=b;c=\"d\"\r\nabc\r\n0;e\r\n\r\n", WIRE_BODY_COMPLETE, "abc", 25);
	/* RFC 9112 section 7.1.1: white space around ";" and "=". */
	expect("3 ;a=b\r\nabc\r\n0\t; a\r\n\r\n", WIRE_BODY_COMPLETE, "abc", 22);
	expect("3 \t; a \t= \tb ; c = \"d ; \\\" \\\r\" ;e\r\nabc\r\n0\r\n\r\n",
	       WIRE_BODY_MALFORMED, "", 0); /* a CR is no quoted character */
	expect("3 \t; a \t= \tb ; c = \"d ; \\\" = \\\\\" ;e\r\nabc\r\n0\r\n\r\n",
	       WIRE_BODY_COMPLETE, "abc", 47);
	expect("1\r\na\r\n0\r\nA: b\r\nC: d\r\n\r\n", WIRE_BODY_COMPLETE, "a", 23);
	expect("1\r\na\r\n0\r\nA: \xc3\xa4\r\n\r\n", WIRE_BODY_COMPLETE, "a", 18);
	expect("3\r\nab", WIRE_BODY_MORE, "ab", 5);
}

TEST(hostile_chunks)
{
	static const char *const cases[] = {
	    "\r\n",
	    "g\r\n",
	    "-1\r\n",
	    "+1\r\na\r\n",
	    "0x1\r\na\r\n",
	    " 1\r\na\r\n",
	    "11111111111111111\r\n",
	    "1\na\r\n0\r\n\r\n",
	    "1\r\na\n0\r\n\r\n",
	    "1\r\nab\r\n0\r\n\r\n",
	    "1\r\na\r\n0\n\r\n",
	    "1\r\na\r\n0\r\n\n",
	    "1\r\ra\r\n0\r\n\r\n",
	    "1;a=\x01\r\na\r\n0\r\n\r\n",
	    "1;a=\"\x7f\"\r\na\r\n0\r\n\r\n",
	    "1;a=\"\xc3\"\r\na\r\n0\r\n\r\n",
	    "1;a=\"\n\"\r\na\r\n0\r\n\r\n",
	    "1;a=\"\r\"\r\na\r\n0\r\n\r\n",
	    "0\r\nA: \x7f\r\n\r\n",
	    "0\r\nA: b\rC: d\r\n\r\n",
	    "1;a=\x7f\r\na\r\n0\r\n\r\n",
	    "1;a=\xc3\r\na\r\n0\r\n\r\n",
	    "1;\na\r\na\r\n0\r\n\r\n",
	    "0\r\nA: b\nC: d\r\n\r\n",
	    "0\r\nA: \x01\r\n\r\n",
	    "0\r\nHost: b\r\n\r\n",
	    "0\r\nA: b\r\nhOST: c\r\n\r\n",
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect(cases[i], WIRE_BODY_MALFORMED, "", 0);
	expect_of(chunked_head, "1;\0\r\na\r\n0\r\n\r\n", 13, WIRE_BODY_MALFORMED, "", 0);
}

TEST(hostile_extensions)
{
	static const char *const cases[] = {
	    ";a\r\na\r\n0\r\n\r\n",
	    " ;a\r\na\r\n0\r\n\r\n",
	    "1 \r\na\r\n0\r\n\r\n",
	    "1\t\r\na\r\n0\r\n\r\n",
	    "1 a\r\na\r\n0\r\n\r\n",
	    "1 1;a\r\na\r\n0\r\n\r\n",
	    "1;a \r\na\r\n0\r\n\r\n",
	    "1;a=b \r\na\r\n0\r\n\r\n",
	    "1;a=\"b\" \r\na\r\n0\r\n\r\n",
	    "1;a b\r\na\r\n0\r\n\r\n",
	    "1;a=b c\r\na\r\n0\r\n\r\n",
	    "1;a=\"b\"c\r\na\r\n0\r\n\r\n",
	    "1;a=\"b\r\na\r\n0\r\n\r\n",
	    "1;a=\"b\\\r\na\r\n0\r\n\r\n",
	    "1; \r\na\r\n0\r\n\r\n",
	    "1;a= \r\na\r\n0\r\n\r\n",
	    "1;=b\r\na\r\n0\r\n\r\n",
	    "1;a==b\r\na\r\n0\r\n\r\n",
	    "1;a(\r\na\r\n0\r\n\r\n",
	    "1 ;a\nb\r\na\r\n0\r\n\r\n",
	    "1 ;a\rb\r\na\r\n0\r\n\r\n",
	    "1 ;a\r\rb\r\na\r\n0\r\n\r\n",
	    "0 ;a=\x01\r\n\r\n",
	    "1\r ;a\r\na\r\n0\r\n\r\n",
	    "1\r a\r\n",
	    "1;a\r ;b\r\na\r\n0\r\n\r\n",
	    "1;\r\na\r\n0\r\n\r\n",
	    "1;a=\r\na\r\n0\r\n\r\n",
	    "1;;b\r\na\r\n0\r\n\r\n",
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect(cases[i], WIRE_BODY_MALFORMED, "", 0);
}

/* before, then `count` times "x", then after: in one piece and byte by byte. */
static enum wire_body_result repeat(const char *before, size_t count, const char *after)
{
	static char text[TEXT_MAX];
	enum wire_body_result result[2];
	size_t length = strlen(before);
	size_t used;

	memcpy(text, before, length);
	memset(text + length, 'x', count);
	memcpy(text + length + count, after, strlen(after));
	length += count + strlen(after);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(read_request(chunked_head), WIRE_HEAD_COMPLETE);
		result[i] = read_pieces(text, length, i ? 1 : length, 1, &used);
	}
	assert_int_equal(result[0], result[1]);
	return result[0];
}

TEST(limits_of_lines)
{
	/* "0;" and CR count, LF does not. */
	const size_t line = WIRE_CHUNK_LINE_MAX - 3;
	const size_t trailers = WIRE_TRAILERS_MAX - strlen("A: \r\n\r\n");

	assert_int_equal(repeat("0;", line, "\r\n\r\n"), WIRE_BODY_COMPLETE);
	assert_int_equal(repeat("0;", line + 1, "\r\n\r\n"), WIRE_BODY_MALFORMED);
	assert_int_equal(repeat("0\r\nA: ", trailers, "\r\n\r\n"), WIRE_BODY_COMPLETE);
	assert_int_equal(repeat("0\r\nA: ", trailers + 1, "\r\n\r\n"), WIRE_BODY_MALFORMED);
	/* A name that is too long to be one of the forbidden ones. */
	assert_int_equal(repeat("0\r\n", WIRE_TRAILER_NAME_MAX + 1, ": a\r\n\r\n"),
			 WIRE_BODY_COMPLETE);
}

TEST(a_limit_of_all_extensions)
{
	/* All of a line but its size and its CR. */
	const size_t counted = WIRE_CHUNK_LINE_MAX - 2;
	const size_t rest = WIRE_CHUNK_EXTENSIONS_MAX % counted;
	char chunk[WIRE_CHUNK_LINE_MAX + 16];
	size_t used;

	for (size_t more = 0; more <= 1; more++) {
		assert_int_equal(read_request(chunked_head), WIRE_HEAD_COMPLETE);
		snprintf(chunk, sizeof(chunk), "1;%0*d\r\na\r\n", WIRE_CHUNK_LINE_MAX - 3, 0);
		for (size_t i = 0; i < WIRE_CHUNK_EXTENSIONS_MAX / counted; i++)
			assert_int_equal(read_pieces(chunk, strlen(chunk), 100, 100, &used),
					 WIRE_BODY_MORE);
		snprintf(chunk, sizeof(chunk), "1;%0*d\r\na\r\n", (int)(rest + more) - 1, 0);
		assert_int_equal(read_pieces(chunk, strlen(chunk), 100, 100, &used),
				 more ? WIRE_BODY_MALFORMED : WIRE_BODY_MORE);
	}
}

TEST(a_user_may_stop_a_body)
{
	size_t used;

	assert_int_equal(read_request(chunked_head), WIRE_HEAD_COMPLETE);
	heard.stop_after = 0;
	assert_int_equal(wire_body_read(&parser, &heard, "1\r\na\r\n", 6, &used),
			 WIRE_BODY_STOPPED);
}

TEST(the_end_of_a_connection_ends_a_response)
{
	static const struct {
		const char *head, *body;
		bool ends;
	} cases[] = {
	    {"HTTP/1.1 200 OK\r\n\r\n", "abc", true},
	    {"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", "abc", false},
	    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "3\r\nabc\r\n", false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t used;

		assert_int_equal(read_head(HTTP_RESPONSE, cases[i].head, strlen(cases[i].head)),
				 WIRE_HEAD_COMPLETE);
		heard.length = 0;
		assert_int_equal(
		    wire_body_read(&parser, &heard, cases[i].body, strlen(cases[i].body), &used),
		    WIRE_BODY_MORE);
		assert_string_equal(heard.text, "abc");
		assert_int_equal(wire_body_ends(&parser), cases[i].ends);
	}
}

TEST(lists)
{
	static const struct {
		const char *list;
		bool has_it;
	} cases[] = {
	    {"upgrade", true},
	    {"Keep-Alive, UPGRADE", true},
	    {" \tupgrade\t ,x", true},
	    {",,upgrade,", true},
	    {"", false},
	    {",", false},
	    {"upgraded", false},
	    {"up grade", false},
	    {"upgrad", false},
	    {"x upgrade", false},
	    {"upgrade;q=1", false},
	    {"a,b", false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (wire_list_has(cases[i].list, strlen(cases[i].list), "Upgrade") !=
		    cases[i].has_it)
			fail_msg("%s", cases[i].list);
	assert_false(wire_list_has("upgrade", 6, "upgrade"));
}

RUN_TESTS(NULL, finish)

/* RFC 6455, case by case, each in every split of its bytes; in the order of the Autobahn suite. */
#include "wire/websocket.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../test/unit/cmocka_test.h"

enum { BYTES_MAX = 70000, LOG_MAX = 4096 };

static const uint8_t mask[4] = {0x11, 0x22, 0x33, 0x44};
static const struct wire_websocket_rules server = {true, 66000, 66000};
static const struct wire_websocket_rules client = {false, 66000, 66000};
static const struct wire_websocket_rules small = {true, 10, 20};

/* Bytes that a peer sends. */
struct bytes {
	uint8_t data[BYTES_MAX];
	size_t size;
};

static void add_frame(struct bytes *bytes, unsigned first, const void *payload, size_t size)
{
	uint8_t header[WIRE_WEBSOCKET_HEADER_MAX];
	size_t header_size = wire_websocket_header(WIRE_TEXT, size, mask, header);

	header[0] = (uint8_t)first;
	memcpy(bytes->data + bytes->size, header, header_size);
	bytes->size += header_size;
	if (size > 0)
		memcpy(bytes->data + bytes->size, payload, size);
	wire_websocket_mask(bytes->data + bytes->size, size, mask, 0);
	bytes->size += size;
}

static void add_text(struct bytes *bytes, unsigned first, const char *text)
{
	add_frame(bytes, first, text, strlen(text));
}

/* All events of bytes that come in pieces of these sizes, as text: "text:hello ping: fault:1002".
 * The pieces are copies of their own, so that a sanitizer sees a read beyond them. */
static const char *read_pieces(const struct wire_websocket_rules *rules, const uint8_t *data,
			       size_t size, size_t first, size_t step)
{
	static const char *const names[] = {[WIRE_TEXT] = "text",
					    [WIRE_BINARY] = "binary",
					    [WIRE_CLOSE] = "close",
					    [WIRE_PING] = "ping",
					    [WIRE_PONG] = "pong"};
	static char text[LOG_MAX];
	struct wire_websocket_reader reader = {.rules = rules};
	struct wire_websocket_message message;
	enum wire_websocket_event event = WIRE_MORE;
	size_t used = 0;
	size_t at = 0;

	text[0] = '\0';
	while (at < size && event != WIRE_FAULT) {
		size_t piece = at == 0 ? first : step;
		uint8_t *copy;
		struct wire_input input;

		if (piece > size - at)
			piece = size - at;
		copy = malloc(piece);
		memcpy(copy, data + at, piece);
		at += piece;
		input = (struct wire_input){copy, piece};
		while ((event = wire_websocket_read(&reader, &input, &message)) != WIRE_MORE) {
			char *end = text + used;
			size_t room = sizeof(text) - used;
			int length = message.size < 100 ? (int)message.size : 0;

			if (event == WIRE_FAULT || event == WIRE_TOO_LARGE)
				used += (size_t)snprintf(end, room, "%s:%u ",
							 event == WIRE_FAULT ? "fault" : "large",
							 message.close_code);
			else if (event == WIRE_FRAME)
				used += (size_t)snprintf(end, room, "frame ");
			else if (message.opcode == WIRE_CLOSE)
				used += (size_t)snprintf(end, room, "close:%u,%zu ",
							 message.close_code, message.size);
			else
				used += (size_t)snprintf(
				    end, room, "%s%s:%.*s/%zu ", names[message.opcode],
				    message.is_fragmented ? "s" : "", length,
				    message.data ? (const char *)message.data : "", message.size);
			if (event == WIRE_FAULT)
				break;
		}
		free(copy);
	}
	wire_websocket_finish(&reader);
	if (used > 0)
		text[used - 1] = '\0';
	return text;
}

/* At once, cut at each place (of the ends only, if it is long), and byte by byte. */
static void expect(const struct wire_websocket_rules *rules, const struct bytes *bytes,
		   const char *expected)
{
	const uint8_t *data = bytes->data;

	assert_string_equal(read_pieces(rules, data, bytes->size, bytes->size, 1), expected);
	assert_string_equal(read_pieces(rules, data, bytes->size, 1, 1), expected);
	for (size_t cut = 1; cut < bytes->size; cut++) {
		if (cut > 40 && bytes->size - cut > 40)
			cut = bytes->size - 40;
		assert_string_equal(read_pieces(rules, data, bytes->size, cut, bytes->size),
				    expected);
	}
}

TEST(lengths)
{
	static const size_t sizes[] = {0, 1, 125, 126, 127, 128, 65535, 65536};
	static uint8_t payload[65536];
	static struct bytes bytes;
	char expected[64];

	memset(payload, '*', sizeof(payload));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		int shown = sizes[i] < 100 ? (int)sizes[i] : 0;

		for (unsigned opcode = WIRE_TEXT; opcode <= WIRE_BINARY; opcode++) {
			bytes.size = 0;
			add_frame(&bytes, 0x80 | opcode, payload, sizes[i]);
			snprintf(expected, sizeof(expected), "%s:%.*s/%zu",
				 opcode == WIRE_TEXT ? "text" : "binary", shown, payload, sizes[i]);
			expect(&server, &bytes, expected);
		}
	}
}

TEST(lengths_that_are_wrong)
{
	static const struct bytes cases[] = {
	    {"\x81\xfe\x00\x05....hello", 13},
	    {"\x81\xfe\x00\x7d....", 8},
	    {"\x81\xff\0\0\0\0\0\0\xff\xff....", 14},
	    {"\x81\xff\x80\0\0\0\0\0\0\0....", 14},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect(&server, &cases[i], "fault:1002");
}

TEST(pings_and_pongs)
{
	static struct bytes bytes;
	char payload[126] = {0};

	bytes.size = 0;
	add_text(&bytes, 0x89, "");
	add_text(&bytes, 0x89, "payload");
	add_frame(&bytes, 0x8a, payload, 125);
	expect(&server, &bytes, "ping:/0 ping:payload/7 pong:/125");
	bytes.size = 0;
	add_frame(&bytes, 0x89, payload, 126);
	expect(&server, &bytes, "fault:1002");
	bytes.size = 0;
	add_text(&bytes, 0x09, "a");
	expect(&server, &bytes, "fault:1002");
}

TEST(headers_that_are_wrong)
{
	static struct bytes bytes;

	for (unsigned first = 0; first < 256; first++) {
		unsigned opcode = first & 15;
		bool is_known = opcode <= 2 || (opcode >= 8 && opcode <= 10);

		if (!(first & 0x70) && is_known && (opcode < 8 || first & 0x80) && opcode > 0)
			continue;
		bytes.size = 0;
		add_text(&bytes, 0x81, "before");
		add_text(&bytes, first, "x");
		expect(&server, &bytes, "text:before/6 fault:1002");
	}
}

TEST(masks)
{
	static struct bytes bytes;

	bytes.size = 0;
	add_text(&bytes, 0x81, "hello");
	expect(&client, &bytes, "fault:1002");
	expect(&client, &(struct bytes){"\x81\x05hello\x89\x00", 9}, "text:hello/5 ping:/0");
	expect(&server, &(struct bytes){"\x81\x05hello", 7}, "fault:1002");
	expect(&server, &(struct bytes){"\x89\x00", 2}, "fault:1002");
}

TEST(fragments)
{
	static struct bytes bytes;

	bytes.size = 0;
	add_text(&bytes, 0x01, "fr");
	add_text(&bytes, 0x89, "between");
	add_text(&bytes, 0x00, "");
	add_text(&bytes, 0x00, "ag");
	add_text(&bytes, 0x8a, "");
	add_text(&bytes, 0x80, "ment");
	add_text(&bytes, 0x82, "whole");
	add_text(&bytes, 0x02, "");
	add_text(&bytes, 0x80, "");
	expect(&server, &bytes,
	       "frame ping:between/7 frame frame pong:/0 texts:fragment/8 binary:whole/5 "
	       "frame binarys:/0");
	bytes.size = 0;
	add_text(&bytes, 0x80, "nothing to continue");
	expect(&server, &bytes, "fault:1002");
	bytes.size = 0;
	add_text(&bytes, 0x01, "a");
	add_text(&bytes, 0x80, "b");
	add_text(&bytes, 0x80, "c");
	expect(&server, &bytes, "frame texts:ab/2 fault:1002");
	bytes.size = 0;
	add_text(&bytes, 0x01, "a");
	add_text(&bytes, 0x81, "b");
	expect(&server, &bytes, "frame fault:1002");
}

TEST(sizes)
{
	static struct bytes bytes;

	bytes.size = 0;
	add_text(&bytes, 0x81, "0123456789");
	add_text(&bytes, 0x81, "0123456789a");
	add_text(&bytes, 0x82, "0123456789a");
	expect(&small, &bytes, "text:0123456789/10 large:1009 frame binary:0123456789a/11");
	bytes.size = 0;
	add_text(&bytes, 0x01, "012345678");
	add_text(&bytes, 0x00, "ab");
	add_text(&bytes, 0x89, "p");
	add_text(&bytes, 0x00, "\xff");
	add_text(&bytes, 0x80, "cd");
	add_text(&bytes, 0x81, "next");
	expect(&small, &bytes, "frame large:1009 frame ping:p/1 frame frame text:next/4");
	/* Memory is not allocated for a size that a header only claims. */
	expect(&small, &(struct bytes){"\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff....", 14},
	       "large:1009");
}

/* Well-formed and not (Unicode 15, table 3-7), in one frame and in two. */
TEST(texts)
{
	static const struct {
		const char *text;
		bool is_valid;
	} cases[] = {
	    {"Hello-\xc2\xb5@\xc3\x9f\xc3\xb6\xc3\xa4-UTF-8!!", true},
	    {"\xc2\x80 \xdf\xbf \xe0\xa0\x80 \xed\x9f\xbf", true},
	    {"\xee\x80\x80 \xef\xbf\xbf \xf0\x90\x80\x80 \xf4\x8f\xbf\xbf", true},
	    {"twelve bytes of ASCII, and then \xf0\x9f\x98\x80", true},
	    {"twelve bytes of ASCII, and then \x80", false},
	    {"\xc0\x80", false},
	    {"\xc1\xbf", false},
	    {"\xe0\x9f\xbf", false},
	    {"\xed\xa0\x80", false},
	    {"\xf0\x8f\xbf\xbf", false},
	    {"\xf4\x90\x80\x80", false},
	    {"\xf5\x80\x80\x80", false},
	    {"\xff", false},
	    {"\xc3", false},
	    {"\xe2\x82", false},
	    {"\xf0\x9f\x98", false},
	    {"\xc3x", false},
	    {"\xe2\x82x", false},
	    {"\xf0\x9f\x98x", false},
	};
	static struct bytes bytes;
	char expected[100];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t size = strlen(cases[i].text);

		snprintf(expected, sizeof(expected), "text:%s/%zu", cases[i].text, size);
		bytes.size = 0;
		add_frame(&bytes, 0x81, cases[i].text, size);
		expect(&server, &bytes, cases[i].is_valid ? expected : "fault:1007");
		for (size_t cut = 0; cut <= size; cut++) {
			bytes.size = 0;
			add_frame(&bytes, 0x01, cases[i].text, cut);
			add_frame(&bytes, 0x89, "", 0);
			add_frame(&bytes, 0x80, cases[i].text + cut, size - cut);
			snprintf(expected, sizeof(expected), "frame ping:/0 texts:%s/%zu",
				 cases[i].text, size);
			if (cases[i].is_valid)
				expect(&server, &bytes, expected);
			else
				assert_non_null(strstr(
				    read_pieces(&server, bytes.data, bytes.size, bytes.size, 1),
				    "fault:1007"));
		}
	}
}

/* A text that has gone wrong is refused before its end has come (Autobahn's 6.4). */
TEST(text_fails_fast)
{
	static struct bytes bytes;

	bytes.size = 0;
	add_text(&bytes, 0x81, "\xce\xba\xe1\xbd\xb9\xf4\x90\x80\x80 and more");
	assert_string_equal(read_pieces(&server, bytes.data, bytes.size - 11, 3, 1), "fault:1007");
}

TEST(closes)
{
	static const uint16_t good[] = {1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010,
					1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999};
	static const uint16_t bad[] = {0,    999,  1004, 1005, 1006, 1015,
				       1016, 1100, 2000, 2999, 5000, 65535};
	static struct bytes bytes;
	char expected[64];

	bytes.size = 0;
	add_text(&bytes, 0x88, "");
	expect(&server, &bytes, "close:0,0");
	bytes.size = 0;
	add_text(&bytes, 0x88, "\x03");
	expect(&server, &bytes, "fault:1002");
	bytes.size = 0;
	add_text(&bytes, 0x88, "\x03\xe8gr\xc3\xbc\xc3\x9f");
	expect(&server, &bytes, "close:1000,8");
	bytes.size = 0;
	add_text(&bytes, 0x88, "\x03\xe8gr\xc3");
	expect(&server, &bytes, "fault:1007");
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		bytes.size = 0;
		add_frame(&bytes, 0x88, (uint8_t[]){(uint8_t)(good[i] >> 8), (uint8_t)good[i]}, 2);
		snprintf(expected, sizeof(expected), "close:%u,2", good[i]);
		expect(&server, &bytes, expected);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		bytes.size = 0;
		add_frame(&bytes, 0x88, (uint8_t[]){(uint8_t)(bad[i] >> 8), (uint8_t)bad[i]}, 2);
		expect(&server, &bytes, "fault:1002");
	}
}

/* A whole frame stays where it is, and nothing is held between messages. */
TEST(memory)
{
	static struct bytes bytes;
	struct wire_websocket_reader reader = {.rules = &server};
	struct wire_websocket_message message;
	struct wire_input input;

	bytes.size = 0;
	add_text(&bytes, 0x82, "where it is");
	input = (struct wire_input){bytes.data, bytes.size};
	assert_int_equal(wire_websocket_read(&reader, &input, &message), WIRE_MESSAGE);
	assert_ptr_equal(message.data, bytes.data + 6);
	assert_null(reader.partial);
	bytes.size = 0;
	add_text(&bytes, 0x82, "in two pieces");
	input = (struct wire_input){bytes.data, 9};
	assert_int_equal(wire_websocket_read(&reader, &input, &message), WIRE_MORE);
	assert_non_null(reader.partial);
	input = (struct wire_input){bytes.data + 9, bytes.size - 9};
	assert_int_equal(wire_websocket_read(&reader, &input, &message), WIRE_MESSAGE);
	assert_memory_equal(message.data, "in two pieces", message.size);
	assert_int_equal(wire_websocket_read(&reader, &input, &message), WIRE_MORE);
	assert_null(reader.partial);
}

TEST(written_headers)
{
	static const struct {
		uint64_t length;
		size_t size;
		const char *bytes;
	} cases[] = {
	    {0, 2, "\x82\x00"},
	    {125, 2, "\x82\x7d"},
	    {126, 4, "\x82\x7e\x00\x7e"},
	    {0xffff, 4, "\x82\x7e\xff\xff"},
	    {0x10000, 10, "\x82\x7f\x00\x00\x00\x00\x00\x01\x00\x00"},
	    {0x0123456789abcdef, 10, "\x82\x7f\x01\x23\x45\x67\x89\xab\xcd\xef"},
	};
	uint8_t header[WIRE_WEBSOCKET_HEADER_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t size = cases[i].size;

		assert_int_equal(wire_websocket_header(WIRE_BINARY, cases[i].length, NULL, header),
				 size);
		assert_memory_equal(header, cases[i].bytes, size);
		assert_int_equal(wire_websocket_header(WIRE_BINARY, cases[i].length, mask, header),
				 size + 4);
		assert_int_equal(header[1], (uint8_t)cases[i].bytes[1] | 0x80);
		assert_memory_equal(header + size, mask, 4);
	}
}

/* The example of section 1.3. */
TEST(accept_key)
{
	char text[WIRE_WEBSOCKET_ACCEPT_LENGTH + 1];

	wire_websocket_accept("dGhlIHNhbXBsZSBub25jZQ==", 24, text);
	assert_string_equal(text, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

RUN_TESTS(NULL, NULL)

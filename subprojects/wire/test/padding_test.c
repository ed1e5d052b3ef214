/* Bytes of the chunked coding that no body needs: how many there may be, and that they are counted.
 */
#include "wire/head.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../test/unit/cmocka_test.h"

static struct wire_parser parser;

static bool on_field(void *context, const char *name, size_t name_length, const char *value,
		     size_t value_length)
{
	(void)context, (void)name, (void)name_length, (void)value, (void)value_length;
	return true;
}

static bool on_body(void *context, const void *data, size_t size)
{
	(void)context, (void)data, (void)size;
	return true;
}

static const struct wire_parser_events events = {on_field, on_body, NULL};

static void read_head(void)
{
	static const char text[] = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
	struct wire_head head;

	assert_int_equal(
	    wire_head_read(&parser, HTTP_REQUEST, &events, NULL, text, strlen(text), &head),
	    WIRE_HEAD_COMPLETE);
}

static enum wire_body_result read_pieces(const char *text, size_t length, size_t step)
{
	enum wire_body_result result = WIRE_BODY_MORE;

	for (size_t at = 0, used; result == WIRE_BODY_MORE && at < length; at += used)
		result = wire_body_read(&parser, NULL, text + at,
					step < length - at ? step : length - at, &used);
	return result;
}

/* An extension within the first bytes of a line counts, too. */
TEST(a_limit_of_short_extensions)
{
	static const char chunk[] = "1;abcdefghijk\r\na\r\n";
	size_t counted = 0;

	read_head();
	while (read_pieces(chunk, strlen(chunk), strlen(chunk)) == WIRE_BODY_MORE) {
		counted += strlen(";abcdefghijk");
		assert_true(counted <= WIRE_CHUNK_EXTENSIONS_MAX);
	}
	assert_true(counted > WIRE_CHUNK_EXTENSIONS_MAX - strlen(chunk));
}

TEST(what_no_body_needs_is_counted)
{
	static const struct {
		const char *text;
		size_t padding;
	} cases[] = {
	    {"1\r\na\r\n0\r\n\r\n", 0},
	    {"a\r\n0123456789\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n", 0},
	    {"01\r\na\r\n0\r\n\r\n", 1},
	    {"0010\r\n0123456789abcdef\r\n000\r\n\r\n", 4},
	    {"00000000000000000001\r\na\r\n01\r\nb\r\n0\r\n\r\n", 20},
	    {"1;a\r\na\r\n1 ; b=\"c\"\r\na\r\n0;d\r\n\r\n", 2 + 8 + 2},
	    {"1\r\na\r\n0\r\nA: b\r\n\r\n", 6},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t length = strlen(cases[i].text);

		for (size_t step = 1; step <= length; step++) {
			read_head();
			assert_int_equal(read_pieces(cases[i].text, length, step),
					 WIRE_BODY_COMPLETE);
			if (parser.padding_bytes != cases[i].padding)
				fail_msg("%zu in steps of %zu: %zu", i, step, parser.padding_bytes);
		}
	}
}

RUN_TESTS(NULL, NULL)

/* PROXY headers, in pieces and damaged. */
#include <stdlib.h>
#include <string.h>

#include "../../../test/unit/cmocka_test.h"

#include "wire/proxy.h"

static struct wire_proxy proxy;

/* Every prefix wants more; what follows belongs to the client. */
static enum wire_proxy_result read_header(const char *data, size_t size)
{
	for (size_t length = 0; length < size; length++) {
		uint8_t *piece = malloc(length + 1);
		enum wire_proxy_result result;

		memcpy(piece, data, length);
		result = wire_proxy_read(piece, length, &proxy);
		free(piece);
		if (result != WIRE_PROXY_MORE)
			return result;
	}
	return wire_proxy_read((const uint8_t *)data, size, &proxy);
}

static void assert_source(const char *expected)
{
	assert_true(proxy.has_source);
	assert_memory_equal(proxy.source, expected, 16);
}

#define HEADER(literal) literal, sizeof(literal) - 1
#define SIGNATURE "\r\n\r\n\0\r\nQUIT\n"
#define MAPPED "\0\0\0\0\0\0\0\0\0\0\xff\xff"

TEST(lines)
{
	static const char line[] = "PROXY TCP4 192.0.2.1 10.0.0.1 56324 443\r\n";

	assert_int_equal(read_header(HEADER(line)), WIRE_PROXY_COMPLETE);
	assert_source(MAPPED "\xc0\x00\x02\x01");
	assert_int_equal(proxy.size, sizeof(line) - 1);
	assert_int_equal(wire_proxy_read((const uint8_t *)"PROXY UNKNOWN\r\nGET", 18, &proxy),
			 WIRE_PROXY_COMPLETE);
	assert_false(proxy.has_source);
	assert_int_equal(proxy.size, 15);
	assert_int_equal(read_header(HEADER("PROXY UNKNOWN what ever\r\n")), WIRE_PROXY_COMPLETE);
	assert_int_equal(read_header(HEADER("PROXY TCP6 ::1 2001:db8::1 1 65535\r\n")),
			 WIRE_PROXY_COMPLETE);
	assert_source("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01");
}

TEST(lines_that_are_none)
{
	static const char *const texts[] = {"GET / HTTP/1.1\r\n",
					    "PROXY\r\n",
					    "PROXY \r\n",
					    "PROXY TCP4\r\n",
					    "proxy UNKNOWN\r\n",
					    "PROXY TCP4 1.2.3.4 1.2.3.4 1 2\n",
					    "PROXY TCP4 1.2.3.4 1.2.3.4 1\r\n",
					    "PROXY TCP4 1.2.3.4 1.2.3.4 1 \r\n",
					    "PROXY TCP4 1.2.3.4 1.2.3.4 1 2 \r\n",
					    "PROXY TCP4 1.2.3.4 1.2.3.4 1 2 3\r\n",
					    "PROXY TCP4 1.2.3.4  1.2.3.4 1 2\r\n",
					    "PROXY TCP4 ::1 ::1 1 2\r\n",
					    "PROXY TCP6 1.2.3.4 1.2.3.4 1 2\r\n",
					    "PROXY TCP4 1.2.3.4 1.2.3.4 01 2\r\n",
					    "PROXY TCP4 1.2.3.4 1.2.3.4 1 65536\r\n",
					    "PROXY TCP4 1.2.3.4 1.2.3.4 -1 2\r\n",
					    "PROXY UDP4 1.2.3.4 1.2.3.4 1 2\r\n",
					    "PROXY TCP4 1.2.3 1.2.3.4 1 2\r\n",
					    "PROXY UNKNOWNX\r\n"};
	char line[200];

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(read_header(texts[i], strlen(texts[i])), WIRE_PROXY_MALFORMED);
	assert_int_equal(read_header(HEADER("PROXY UNKNOWN\0\r\n")), WIRE_PROXY_MALFORMED);
	memset(line, 'x', sizeof(line));
	memcpy(line, "PROXY UNKNOWN ", 14);
	assert_int_equal(read_header(line, sizeof(line)), WIRE_PROXY_MALFORMED);
	memcpy(line + WIRE_PROXY_LINE_MAX - 2, "\r\n", 2);
	assert_int_equal(read_header(line, WIRE_PROXY_LINE_MAX), WIRE_PROXY_COMPLETE);
}

TEST(binary)
{
	assert_int_equal(read_header(HEADER(SIGNATURE "\x21\x11\0\x0c\xc0\x00\x02\x01\x0a\0\0\x01"
						      "\0\x01\0\x02")),
			 WIRE_PROXY_COMPLETE);
	assert_source(MAPPED "\xc0\x00\x02\x01");
	assert_int_equal(read_header(HEADER(SIGNATURE "\x21\x11\0\x10\xc0\x00\x02\x01\x0a\0\0\x01"
						      "\0\x01\0\x02\x04\0\x01x")),
			 WIRE_PROXY_COMPLETE);
	assert_int_equal(proxy.size, 32);
	assert_int_equal(
	    read_header(HEADER(SIGNATURE "\x21\x21\0\x24"
					 "0123456789abcdef0123456789abcdef\0\x01\0\x02")),
	    WIRE_PROXY_COMPLETE);
	assert_source("0123456789abcdef");
	assert_false(proxy.is_local);
	/* Health checks, the second one with addresses, and a client that came through something
	 * else. */
	assert_int_equal(read_header(HEADER(SIGNATURE "\x20\0\0\0")), WIRE_PROXY_COMPLETE);
	assert_true(proxy.is_local);
	assert_false(proxy.has_source);
	assert_int_equal(read_header(HEADER(SIGNATURE "\x20\x11\0\x0c\xc0\x00\x02\x01\x0a\0\0\x01"
						      "\0\x01\0\x02")),
			 WIRE_PROXY_COMPLETE);
	assert_true(proxy.is_local);
	assert_false(proxy.has_source);
	assert_int_equal(read_header(HEADER(SIGNATURE "\x21\x31\0\x02xx")), WIRE_PROXY_COMPLETE);
	assert_false(proxy.has_source);
	assert_false(proxy.is_local);
}

TEST(binary_that_is_none)
{
	assert_int_equal(read_header(HEADER(SIGNATURE "\x11\x11\0\0")), WIRE_PROXY_MALFORMED);
	assert_int_equal(read_header(HEADER(SIGNATURE "\x22\x11\0\0")), WIRE_PROXY_MALFORMED);
	assert_int_equal(read_header(HEADER(SIGNATURE "\x21\x11\0\x0b")), WIRE_PROXY_MALFORMED);
	assert_int_equal(read_header(HEADER(SIGNATURE "\x21\x21\0\x23")), WIRE_PROXY_MALFORMED);
	assert_int_equal(read_header(HEADER(SIGNATURE "\x21\x11\x04\x01")), WIRE_PROXY_MALFORMED);
	assert_int_equal(read_header(HEADER("\r\n\r\n\0\r\nQUIX")), WIRE_PROXY_MALFORMED);
}

RUN_TESTS(NULL, NULL)

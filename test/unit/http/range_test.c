/* Range requests. */
#include "../cmocka_test.h"
#include "http/range.h"

#include <stdio.h>

static struct http_range read_with(const char *value, const char *condition, size_t size,
				   enum http_method method)
{
	const struct http_field fields[] = {
	    {STR("Range"), str_from(value)},
	    {STR("If-Range"), str_from(condition ? condition : "")}};
	struct http_request request = {
	    .method = method, .fields = fields, .field_count = condition ? 2 : 1};

	return http_range_read(&request, size, STR("\"a\""));
}

/* expected: the value of Content-Range, or "" if there is no range. */
static void assert_range(const char *value, size_t size, const char *expected)
{
	struct http_range range = read_with(value, NULL, size, HTTP_GET);
	struct arena arena = {0};
	struct str text = {"", 0};

	if (range.kind != HTTP_RANGE_NONE)
		text = http_content_range(&arena, range, size);
	else
		assert_int_equal(range.length, size);
	if (!str_equal(text, str_from(expected)))
		fail_msg("%s of %zu: \"%.*s\", not \"%s\"", value, size, STR_ARG(text), expected);
	arena_finish(&arena);
}

TEST(parts)
{
	assert_range("bytes=0-0", 10, "bytes 0-0/10");
	assert_range("bytes=0-65535", 100000, "bytes 0-65535/100000");
	assert_range("bytes=65536-131071", 100000, "bytes 65536-99999/100000");
	assert_range("bytes=3-", 10, "bytes 3-9/10");
	assert_range("bytes=-3", 10, "bytes 7-9/10");
	assert_range("bytes=-30", 10, "bytes 0-9/10");
	assert_range("BYTES= 2-4 ", 10, "bytes 2-4/10");
	assert_range("bytes=9-9", 10, "bytes 9-9/10");
	assert_range("bytes=0-99999999999999999999999999", 10, "bytes 0-9/10");
}

TEST(missed)
{
	assert_range("bytes=10-", 10, "bytes */10");
	assert_range("bytes=10-20", 10, "bytes */10");
	assert_range("bytes=-0", 10, "bytes */10");
	assert_range("bytes=99999999999999999999999999-", 10, "bytes */10");
	assert_range("bytes=0-", 0, "bytes */0");
	assert_range("bytes=-5", 0, "bytes */0");
}

TEST(what_is_no_range)
{
	static const char *const values[] = {
	    "",		 "bytes",      "bytes=",	"bytes=-",
	    "bytes=5-3", "bytes=a-b",  "bytes=0-3,5-6", "bytes=0-3-4",
	    "lines=0-3", "bytes=+1-3", "bytes=0x1-3",	"bytes=1 - 3",
	    "bytes=--3", "0-3"};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_range(values[i], 10, "");
}

TEST(conditions)
{
	assert_int_equal(read_with("bytes=0-3", "\"a\"", 10, HTTP_GET).kind, HTTP_RANGE_PART);
	assert_int_equal(read_with("bytes=0-3", "\"b\"", 10, HTTP_GET).kind, HTTP_RANGE_NONE);
	assert_int_equal(read_with("bytes=0-3", "W/\"a\"", 10, HTTP_GET).kind, HTTP_RANGE_NONE);
	assert_int_equal(read_with("bytes=0-3", NULL, 10, HTTP_HEAD).kind, HTTP_RANGE_NONE);
}

RUN_TESTS(NULL, NULL)

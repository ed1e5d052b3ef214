#include "sandboxed/bytes.h"

#include <stdlib.h>
#include <string.h>
/* after the headers that it needs */
#include "../../../test/unit/cmocka_test.h"

static void expect_json(const char *from, size_t length, const char *wanted)
{
	struct bytes bytes = {0};
	char *copy = malloc(length ? length : 1); /* so that a sanitizer sees a byte too far */

	memcpy(copy, from, length);
	bytes_add_json(&bytes, copy, length);
	assert_false(bytes.failed);
	assert_string_equal(bytes.data, wanted);
	free(copy);
	bytes_finish(&bytes);
}

TEST(strings_are_utf8)
{
	expect_json("", 0, "\"\"");
	expect_json("a\"\\\n\x01z", 6, "\"a\\\"\\\\\\u000a\\u0001z\"");
	expect_json("\xc3\xa9\xf0\x9f\x98\x80", 6, "\"\xc3\xa9\xf0\x9f\x98\x80\"");
	expect_json("\xc3", 1, "\"\xef\xbf\xbd\"");
	expect_json("\xe2\x82", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\"");
	expect_json("\xc0\x80", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\"");
	expect_json("\xed\xa0\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
	expect_json("\xf4\x90\x80\x80", 4, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
	expect_json("\xff", 1, "\"\xef\xbf\xbd\"");
}

TEST(bytes_become_base64)
{
	static const char *const wanted[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="};
	for (size_t length = 0; length < 5; length++) { /* RFC 4648 section 10 */
		struct bytes bytes = {0};

		bytes_add_base64(&bytes, "foob", length);
		assert_string_equal(bytes.data, wanted[length]);
		bytes_finish(&bytes);
	}
}

TEST(text_is_bounded)
{
	struct bytes bytes = {.most = 10};

	bytes_add_text(&bytes, "0123456789");
	assert_false(bytes.failed);
	bytes_add_text(&bytes, "x");
	assert_true(bytes.failed);
	assert_int_equal(bytes.length, 10);
	bytes_finish(&bytes);
	bytes_add_base64(&bytes, "0123456789", 10);
	assert_true(bytes.failed);
	bytes_finish(&bytes);
}

TEST(what_is_no_text_is_replaced)
{
	struct bytes bytes = {0};

	bytes_add_valid(&bytes, STR("a\xc3\xa9\xff\"\xe2\x82"));
	assert_string_equal(bytes.data, "a\xc3\xa9\xef\xbf\xbd\"\xef\xbf\xbd\xef\xbf\xbd");
	bytes_skip(&bytes, 3);
	assert_string_equal(bytes.data, "\xef\xbf\xbd\"\xef\xbf\xbd\xef\xbf\xbd");
	bytes_finish(&bytes);
}

RUN_TESTS(NULL, NULL)

#include "sandboxed/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>

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

static void strings_are_utf8(void **state)
{
	(void)state;
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

static void bytes_become_base64(void **state)
{
	static const char *const wanted[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="};
	(void)state;
	for (size_t length = 0; length < 5; length++) { /* RFC 4648 section 10 */
		struct bytes bytes = {0};

		bytes_add_base64(&bytes, "foob", length);
		assert_string_equal(bytes.data, wanted[length]);
		bytes_finish(&bytes);
	}
}

static void text_is_bounded(void **state)
{
	struct bytes bytes = {.most = 10};

	(void)state;
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

static void what_is_no_text_is_replaced(void **state)
{
	struct bytes bytes = {0};

	(void)state;
	bytes_add_valid(&bytes, STR("a\xc3\xa9\xff\"\xe2\x82"));
	assert_string_equal(bytes.data, "a\xc3\xa9\xef\xbf\xbd\"\xef\xbf\xbd\xef\xbf\xbd");
	bytes_skip(&bytes, 3);
	assert_string_equal(bytes.data, "\xef\xbf\xbd\"\xef\xbf\xbd\xef\xbf\xbd");
	bytes_finish(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(strings_are_utf8),
	    cmocka_unit_test(bytes_become_base64),
	    cmocka_unit_test(text_is_bounded),
	    cmocka_unit_test(what_is_no_text_is_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

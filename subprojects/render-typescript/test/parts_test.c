#include "../src/clock.h"
#include "../src/frame.h"
#include "../src/source_map.h"
#include "../src/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
/* after the headers that it needs */
#include <cmocka.h>

static void expect_json(const char *bytes, size_t length, const char *wanted)
{
	struct text text = {0};
	char *copy = malloc(length ? length : 1); /* so that a sanitizer sees a byte too far */

	memcpy(copy, bytes, length);
	text_add_json(&text, copy, length);
	assert_false(text.failed);
	assert_string_equal(text.data, wanted);
	free(copy);
	text_finish(&text);
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
	static const char *const wanted[] = {"\"\"", "\"Zg==\"", "\"Zm8=\"", "\"Zm9v\"",
					     "\"Zm9vYg==\""};
	(void)state;
	for (size_t length = 0; length < 5; length++) { /* RFC 4648 section 10 */
		struct text text = {0};

		text_add_base64(&text, (const uint8_t *)"foob", length);
		assert_string_equal(text.data, wanted[length]);
		text_finish(&text);
	}
}

static void text_is_bounded(void **state)
{
	struct text text = {.most = 10};

	(void)state;
	text_add_str(&text, "0123456789");
	assert_false(text.failed);
	text_add_str(&text, "x");
	assert_true(text.failed);
	assert_int_equal(text.length, 10);
	text_finish(&text);
	text_add_base64(&text, (const uint8_t *)"0123456789", 10);
	assert_true(text.failed);
	text_finish(&text);
}

static void offsets_follow_the_changes(void **state)
{
	static const struct clock_change changes[] = {{100, 3600}, {200, 7200}, {300, -60}};

	(void)state;
	clock_set(5, changes, 3);
	assert_int_equal(clock_now_ms(), 5);
	assert_int_equal(clock_offset_s(INT64_MIN), 3600);
	assert_int_equal(clock_offset_s(100), 3600);
	assert_int_equal(clock_offset_s(199), 3600);
	assert_int_equal(clock_offset_s(200), 7200);
	assert_int_equal(clock_offset_s(300), -60);
	assert_int_equal(clock_offset_s(INT64_MAX), -60);
	clock_set(0, NULL, 0);
	assert_int_equal(clock_offset_s(0), 0);
}

/* "let a: number = 1;\nnobody;\n" without its type. */
static const char mapped[] = "let a = 1;\nnobody;\n" SOURCE_MAP_COMMENT
			     "eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbImFwcC50cyJdLCJtYXBwaW5ncyI6IkFBQUEs"
			     "SUFBSSxJQUFZO0FBQ2hCOyIsIm5hbWVzIjpbXX0=\n";

static void places_are_those_of_the_source(void **state)
{
	unsigned line = 0, column = 0;

	(void)state;
	assert_true(source_map_find(mapped, sizeof(mapped) - 1, 1, 9, &line, &column));
	assert_int_equal(line, 1);
	assert_int_equal(column, 17);
	assert_true(source_map_find(mapped, sizeof(mapped) - 1, 2, 1, &line, &column));
	assert_int_equal(line, 2);
	assert_int_equal(column, 1);
	assert_false(source_map_find(mapped, sizeof(mapped) - 1, 3, 1, &line, &column));
	assert_false(source_map_find("a;", 2, 1, 1, &line, &column));
	assert_false(source_map_find("", 0, 1, 1, &line, &column));
}

/* Any byte may be wrong, and any part missing. */
static void maps_may_be_anything(void **state)
{
	unsigned line, column;

	(void)state;
	for (size_t length = 0; length < sizeof(mapped); length++) {
		char *cut = malloc(length + 1);

		memcpy(cut, mapped, length);
		cut[length] = '\0';
		(void)source_map_find(cut, length, 2, 1, &line, &column);
		free(cut);
	}
	for (size_t at = 0; at < sizeof(mapped) - 1; at++) {
		char wrong[sizeof(mapped)];

		memcpy(wrong, mapped, sizeof(mapped));
		for (const char *c = "g/A,;\"\x80"; *c; c++) {
			wrong[at] = *c;
			(void)source_map_find(wrong, sizeof(mapped) - 1, 2, 1, &line, &column);
		}
	}
}

static void frames_come_as_they_went(void **state)
{
	struct frame frame;
	int link[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, link), 0);
	assert_int_equal(frame_write(link[0], "{}", 2, "blob", 4), 0);
	assert_int_equal(frame_read(link[1], &frame), 1);
	assert_int_equal(frame.head_length, 2);
	assert_string_equal(frame.head, "{}");
	assert_int_equal(frame.blob_length, 4);
	assert_string_equal(frame.blob, "blob");
	frame_finish(&frame);
	close(link[0]);
	assert_int_equal(frame_read(link[1], &frame), 0);
	close(link[1]);
}

static void frames_that_are_cut_are_errors(void **state)
{
	static const char whole[] = "\0\0\0\2\0\0\0\4{}blob";

	(void)state;
	for (size_t length = 1; length < sizeof(whole) - 1; length++) {
		struct frame frame;
		int link[2];

		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, link), 0);
		assert_int_equal(write(link[0], whole, length), length);
		close(link[0]);
		assert_true(frame_read(link[1], &frame) < 0);
		close(link[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(strings_are_utf8),
	    cmocka_unit_test(bytes_become_base64),
	    cmocka_unit_test(text_is_bounded),
	    cmocka_unit_test(offsets_follow_the_changes),
	    cmocka_unit_test(places_are_those_of_the_source),
	    cmocka_unit_test(maps_may_be_anything),
	    cmocka_unit_test(frames_come_as_they_went),
	    cmocka_unit_test(frames_that_are_cut_are_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

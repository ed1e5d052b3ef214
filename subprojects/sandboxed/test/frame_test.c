#include "sandboxed/frame.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
/* after the headers that it needs */
#include "../../../test/unit/cmocka_test.h"

TEST(frames_come_as_they_went)
{
	struct frame frame;
	int link[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, link), 0);
	assert_int_equal(frame_send(link[0], STR("{}"), STR("blob")), 0);
	assert_int_equal(frame_receive(link[1], &frame), 1);
	assert_int_equal(frame.head.length, 2);
	assert_string_equal(frame.head.data, "{}");
	assert_int_equal(frame.blob.length, 4);
	assert_string_equal(frame.blob.data, "blob");
	frame_finish(&frame);
	close(link[0]);
	assert_int_equal(frame_receive(link[1], &frame), 0);
	close(link[1]);
}

TEST(frames_that_are_cut_are_errors)
{
	static const char whole[] = "\0\0\0\2\0\0\0\4{}blob";

	for (size_t length = 1; length < sizeof(whole) - 1; length++) {
		struct frame frame;
		int link[2];

		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, link), 0);
		assert_int_equal(write(link[0], whole, length), length);
		close(link[0]);
		assert_true(frame_receive(link[1], &frame) < 0);
		close(link[1]);
	}
}

TEST(limits_are_the_callers)
{
	const struct str bytes = STR("\0\0\0\2\0\0\0\4{}blob and more");
	struct frame frame;

	assert_int_equal(frame_find(bytes, 2, 4, &frame), FRAME_IS_WHOLE);
	assert_true(str_equal(frame.blob, STR("blob")));
	assert_int_equal(frame.size, 14);
	assert_int_equal(frame_find(bytes, 1, 4, &frame), FRAME_IS_WRONG);
	assert_int_equal(frame_find(bytes, 2, 3, &frame), FRAME_IS_WRONG);
}

RUN_TESTS(NULL, NULL)

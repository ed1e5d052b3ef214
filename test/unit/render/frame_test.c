/* Frames: whole ones, every part of one, and lengths that are too long. */
#include "../cmocka_test.h"
#include "frame.h"

TEST(test_a_frame_is_read_as_it_was_written)
{
	struct buffer bytes = {0};
	struct frame frame;

	assert_true(frame_append(&bytes, STR("{}"), STR("blob")));
	assert_true(frame_append(&bytes, STR("{\"a\":1}"), STR("")));
	assert_int_equal(frame_read(buffer_view(&bytes), &frame), FRAME_IS_WHOLE);
	assert_true(str_equal(frame.head, STR("{}")));
	assert_true(str_equal(frame.blob, STR("blob")));
	buffer_consume(&bytes, frame.size);
	assert_int_equal(frame_read(buffer_view(&bytes), &frame), FRAME_IS_WHOLE);
	assert_true(str_equal(frame.head, STR("{\"a\":1}")));
	assert_int_equal(frame.blob.length, 0);
	assert_int_equal(frame.size, buffer_length(&bytes));
	buffer_finish(&bytes);
}

TEST(test_a_part_of_a_frame_needs_more)
{
	struct buffer bytes = {0};
	struct frame frame;

	assert_true(frame_append(&bytes, STR("{}"), STR("blob")));
	for (size_t length = 0; length < buffer_length(&bytes); length++) {
		struct str part = {buffer_view(&bytes).data, length};

		assert_int_equal(frame_read(part, &frame), FRAME_NEEDS_MORE);
		assert_int_equal(frame.size, length < 8 ? 8 : 14);
	}
	buffer_finish(&bytes);
}

TEST(test_lengths_have_limits)
{
	static const struct {
		const char *bytes;
		enum frame_state state;
	} cases[] = {
	    {"\x00\x10\x00\x00\x00\x80\x00\x00", FRAME_NEEDS_MORE},
	    {"\x00\x10\x00\x01\x00\x00\x00\x00", FRAME_IS_WRONG},
	    {"\x00\x00\x00\x02\x00\x80\x00\x01", FRAME_IS_WRONG},
	    {"\xff\xff\xff\xff\xff\xff\xff\xff", FRAME_IS_WRONG},
	};
	struct str long_head = {.data = "", .length = FRAME_HEAD_MAX + 1};
	struct buffer bytes = {0};
	struct frame frame;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(frame_read((struct str){cases[i].bytes, 8}, &frame),
				 cases[i].state);
	assert_false(frame_append(&bytes, long_head, STR("")));
	assert_int_equal(buffer_length(&bytes), 0);
}

RUN_TESTS(NULL, NULL)

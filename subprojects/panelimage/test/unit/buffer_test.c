#include "test.h"

#include "buffer.h"

TEST(test_grows_and_keeps)
{
	struct buffer buffer;

	pi_buffer_init(&buffer, 100000);
	for (int i = 0; i < 100000; i++)
		assert_true(pi_buffer_append(&buffer, &(uint8_t){(uint8_t)i}, 1));
	assert_int_equal(buffer.size, 100000);
	for (int i = 0; i < 100000; i++)
		assert_int_equal(buffer.data[i], (uint8_t)i);
	pi_buffer_finish(&buffer);
	assert_null(buffer.data);
}

TEST(test_full)
{
	struct buffer buffer;

	pi_buffer_init(&buffer, 10);
	assert_true(pi_buffer_append(&buffer, (const uint8_t *)"0123456789", 10));
	assert_true(pi_buffer_append(&buffer, NULL, 0));
	assert_false(buffer.full);
	assert_false(pi_buffer_append(&buffer, (const uint8_t *)"x", 1));
	assert_true(buffer.full);
	assert_int_equal(buffer.size, 10);
	assert_null(pi_buffer_extend(&buffer, SIZE_MAX));
	pi_buffer_finish(&buffer);
}

RUN_TESTS(NULL, NULL)

#include "test.h"

#include "buffer.h"

static void test_grows_and_keeps(void **state)
{
	struct buffer buffer;

	(void)state;
	pi_buffer_init(&buffer, 100000);
	for (int i = 0; i < 100000; i++)
		assert_true(pi_buffer_append(&buffer, &(uint8_t){(uint8_t)i}, 1));
	assert_int_equal(buffer.size, 100000);
	for (int i = 0; i < 100000; i++)
		assert_int_equal(buffer.data[i], (uint8_t)i);
	pi_buffer_finish(&buffer);
	assert_null(buffer.data);
}

static void test_full(void **state)
{
	struct buffer buffer;

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_grows_and_keeps),
	    cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

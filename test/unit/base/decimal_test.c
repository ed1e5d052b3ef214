#include "../cmocka_test.h"
#include "base/decimal.h"
#include "base/memory.h"

#include <stdio.h>

static void assert_formats_as_printf(int64_t number)
{
	char expected[32];
	char text[DECIMAL_BYTES_MAX];
	int length = snprintf(expected, sizeof(expected), "%lld", (long long)number);

	assert_int_equal(decimal_format(number, text), length);
	assert_memory_equal(text, expected, (size_t)length);
}

TEST(extremes)
{
	static const int64_t numbers[] = {0,	     1,		-1,	      9, 10, -10,
					  INT64_MAX, INT64_MIN, INT64_MIN + 1};

	for (size_t i = 0; i < array_length(numbers); i++)
		assert_formats_as_printf(numbers[i]);
}

TEST(every_length)
{
	for (int64_t power = 10; power < INT64_MAX / 10; power *= 10) {
		for (int64_t near = power - 1; near <= power + 1; near++) {
			assert_formats_as_printf(near);
			assert_formats_as_printf(-near);
		}
	}
}

RUN_TESTS(NULL, NULL)

/* cmocka, after the headers that it needs, and tests that register themselves: no list repeats
 * their names.
 *
 *   TEST(a_name)
 *   {
 *           assert_true(...);
 *   }
 *
 *   RUN_TESTS(NULL, NULL)
 *
 * The tests of a file run in its order. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

enum { TESTS_OF_A_FILE_MAX = 200 };

/* Tests of this file. */
static struct CMUnitTest test_list[TESTS_OF_A_FILE_MAX] __attribute__((unused));
static size_t test_count __attribute__((unused));

/* Test with a setup and a teardown of cmocka; each may be NULL. Its state is "state". */
#define TEST_IN(function, set_up_function, tear_down_function)                                     \
	static void function(void **state);                                                        \
	__attribute__((constructor)) static void register_##function(void)                         \
	{                                                                                          \
		if (test_count == TESTS_OF_A_FILE_MAX)                                             \
			abort();                                                                   \
		test_list[test_count++] =                                                          \
		    (struct CMUnitTest){.name = #function,                                         \
					.test_func = (function),                                   \
					.setup_func = (set_up_function),                           \
					.teardown_func = (tear_down_function)};                    \
	}                                                                                          \
	static void function(__attribute__((unused)) void **state)
#define TEST(function) TEST_IN(function, NULL, NULL)

/* Runs the tests of this file between a setup and a teardown of their own; each may be NULL.
 * Returns the number of failures. */
__attribute__((unused)) static int run_all_tests(CMFixtureFunction set_up_function,
						 CMFixtureFunction tear_down_function)
{
	return _cmocka_run_group_tests("tests", test_list, test_count, set_up_function,
				       tear_down_function);
}

/* The main() of a file that does nothing else. */
#define RUN_TESTS(set_up_function, tear_down_function)                                             \
	int main(void)                                                                             \
	{                                                                                          \
		return run_all_tests(set_up_function, tear_down_function);                         \
	}

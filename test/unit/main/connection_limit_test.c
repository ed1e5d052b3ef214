#include "../cmocka_test.h"
#include "base/limits.h"
#include "main/connection_limit.h"

static const uint64_t MIB = UINT64_C(1) << 20;

TEST(memory_is_shared_by_the_workers)
{
	assert_int_equal(connection_limit(512 * MIB, 1, false), 16 * 1024);
	assert_int_equal(connection_limit(512 * MIB, 4, false), 4 * 1024);
	assert_int_equal(connection_limit(1280 * MIB, 1, true), 8 * 1024);
}

TEST(the_limit_has_bounds)
{
	assert_int_equal(connection_limit(0, 1, false), 1024);
	assert_int_equal(connection_limit(64 * MIB, 64, false), 1024);
	assert_int_equal(connection_limit(UINT64_MAX, 1, false), LIMIT_CONNECTIONS);
	assert_int_equal(connection_limit(1024 * MIB, 0, false), 32 * 1024);
}

TEST(this_machine_has_memory)
{
	assert_true(connection_limit_here(1, false) >= 1024);
}

RUN_TESTS(NULL, NULL)

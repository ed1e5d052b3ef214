#include "../cmocka_test.h"
#include "connection_rest.h"

TEST(rests_grow_up_to_a_limit)
{
	for (int i = 0; i < 100; i++) {
		assert_in_range(connection_rest_ms(0, false), 25, 50);
		assert_in_range(connection_rest_ms(2, false), 100, 200);
		assert_in_range(connection_rest_ms(1000000, false), 1000, 2000);
	}
}

TEST(a_server_on_this_machine_is_tried_more_often)
{
	for (int i = 0; i < 100; i++) {
		assert_in_range(connection_rest_ms(0, true), 25, 50);
		assert_in_range(connection_rest_ms(1000000, true), 100, 200);
	}
}

RUN_TESTS(NULL, NULL)

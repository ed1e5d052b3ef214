#include "../cmocka_test.h"
#include "connection_rest.h"

static void rests_grow_up_to_a_limit(void **state)
{
	(void)state;
	for (int i = 0; i < 100; i++) {
		assert_in_range(connection_rest_ms(0, false), 25, 50);
		assert_in_range(connection_rest_ms(2, false), 100, 200);
		assert_in_range(connection_rest_ms(1000000, false), 1000, 2000);
	}
}

static void a_server_on_this_machine_is_tried_more_often(void **state)
{
	(void)state;
	for (int i = 0; i < 100; i++) {
		assert_in_range(connection_rest_ms(0, true), 25, 50);
		assert_in_range(connection_rest_ms(1000000, true), 100, 200);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rests_grow_up_to_a_limit),
	    cmocka_unit_test(a_server_on_this_machine_is_tried_more_often),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

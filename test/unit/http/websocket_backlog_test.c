#include "../cmocka_test.h"
#include "http/websocket_backlog.h"

static struct websocket_backlog backlog;
static struct websocket_backlog_entry one, two, three;

static int set_up(void **state)
{
	(void)state;
	websocket_backlog_init(&backlog);
	websocket_backlog_entry_init(&one);
	websocket_backlog_entry_init(&two);
	websocket_backlog_entry_init(&three);
	return 0;
}

static void an_empty_backlog_has_no_largest(void **state)
{
	(void)state;
	assert_null(websocket_backlog_largest(&backlog));
	websocket_backlog_set(&backlog, &one, 1);
	websocket_backlog_set(&backlog, &one, 0);
	assert_null(websocket_backlog_largest(&backlog));
	assert_int_equal(backlog.bytes, 0);
}

static void the_largest_is_found_as_they_grow_and_shrink(void **state)
{
	(void)state;
	websocket_backlog_set(&backlog, &one, 1000);
	websocket_backlog_set(&backlog, &two, 5000);
	websocket_backlog_set(&backlog, &three, 1);
	assert_int_equal(backlog.bytes, 6001);
	assert_ptr_equal(websocket_backlog_largest(&backlog), &two);
	websocket_backlog_set(&backlog, &three, 1 << 30);
	assert_ptr_equal(websocket_backlog_largest(&backlog), &three);
	websocket_backlog_set(&backlog, &three, 2);
	assert_ptr_equal(websocket_backlog_largest(&backlog), &two);
	websocket_backlog_set(&backlog, &two, 0);
	assert_ptr_equal(websocket_backlog_largest(&backlog), &one);
	assert_int_equal(backlog.bytes, 1002);
}

static void of_two_alike_it_is_the_one_that_waits_longer(void **state)
{
	(void)state;
	websocket_backlog_set(&backlog, &one, 4096);
	websocket_backlog_set(&backlog, &two, 4096);
	websocket_backlog_set(&backlog, &one, 4097); /* keeps its place */
	assert_ptr_equal(websocket_backlog_largest(&backlog), &one);
	assert_int_equal(backlog.bytes, 8193);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(an_empty_backlog_has_no_largest, set_up),
	    cmocka_unit_test_setup(the_largest_is_found_as_they_grow_and_shrink, set_up),
	    cmocka_unit_test_setup(of_two_alike_it_is_the_one_that_waits_longer, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

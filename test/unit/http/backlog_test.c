#include "../cmocka_test.h"
#include "http/backlog.h"

enum { KIB = 1024 };

static struct loop loop;
static struct http_backlog backlog;
static struct http_backlog_entry one, two, three;
static size_t pending; /* of each that is asked */
static unsigned dropped;

static size_t play_pending(const struct http_backlog_entry *entry)
{
	(void)entry;
	return pending;
}

static void play_drop(struct http_backlog_entry *entry)
{
	assert_ptr_equal(entry, &two);
	http_backlog_set(&backlog, NULL, entry, 0);
	dropped++;
}

static struct http_backlog_entry *largest(void)
{
	struct http_backlog_share *share = http_backlog_largest(&backlog);

	assert_non_null(share);
	return http_backlog_largest_of(share);
}

static const struct http_backlog_owner owner = {.pending = play_pending, .drop = play_drop};

static int set_up_with(size_t bytes_max)
{
	assert_int_equal(loop_init(&loop), 0);
	http_backlog_init(&backlog, &loop, bytes_max);
	backlog.owners[HTTP_BACKLOG_WEBSOCKET] = &owner;
	http_backlog_entry_init(&one, HTTP_BACKLOG_ANSWER);
	http_backlog_entry_init(&two, HTTP_BACKLOG_WEBSOCKET);
	http_backlog_entry_init(&three, HTTP_BACKLOG_ANSWER);
	dropped = 0;
	return 0;
}

static int set_up(void **state)
{
	(void)state;
	return set_up_with(SIZE_MAX);
}

static int set_up_small(void **state)
{
	(void)state;
	return set_up_with(1000 * KIB);
}

static int tear_down(void **state)
{
	(void)state;
	http_backlog_finish(&backlog);
	loop_finish(&loop);
	return 0;
}

static void an_empty_backlog_has_no_largest(void **state)
{
	(void)state;
	assert_null(http_backlog_largest(&backlog));
	http_backlog_set(&backlog, NULL, &one, 1);
	http_backlog_set(&backlog, NULL, &one, 0);
	assert_null(http_backlog_largest(&backlog));
	assert_int_equal(backlog.bytes, 0);
}

static void the_largest_is_found_as_they_grow_and_shrink(void **state)
{
	(void)state;
	http_backlog_set(&backlog, NULL, &one, 1000);
	http_backlog_set(&backlog, NULL, &two, 5000);
	http_backlog_set(&backlog, NULL, &three, 1);
	assert_int_equal(backlog.bytes, 6001);
	assert_ptr_equal(largest(), &two);
	http_backlog_set(&backlog, NULL, &three, 1 << 30);
	assert_ptr_equal(largest(), &three);
	http_backlog_set(&backlog, NULL, &three, 2);
	assert_ptr_equal(largest(), &two);
	http_backlog_set(&backlog, NULL, &two, 0);
	assert_ptr_equal(largest(), &one);
	assert_int_equal(backlog.bytes, 1002);
}

static void of_two_alike_it_is_the_one_that_waits_longer(void **state)
{
	(void)state;
	http_backlog_set(&backlog, NULL, &one, 4096);
	http_backlog_set(&backlog, NULL, &two, 4096);
	http_backlog_set(&backlog, NULL, &one, 4097); /* keeps its place */
	assert_ptr_equal(largest(), &one);
	assert_int_equal(backlog.bytes, 8193);
}

static void the_largest_is_dropped_later(void **state)
{
	(void)state;
	pending = 900 * KIB;
	http_backlog_set(&backlog, NULL, &one, 100 * KIB);
	http_backlog_set(&backlog, NULL, &two, 900 * KIB);
	uv_run(&loop.uv, UV_RUN_NOWAIT);
	assert_int_equal(dropped, 0);
	http_backlog_set(&backlog, NULL, &three, KIB);
	assert_int_equal(dropped, 0);
	uv_run(&loop.uv, UV_RUN_NOWAIT);
	assert_int_equal(dropped, 1);
	assert_int_equal(backlog.bytes, 101 * KIB);
}

static void what_was_taken_meanwhile_does_not_count(void **state)
{
	(void)state;
	pending = 10 * KIB;
	http_backlog_set(&backlog, NULL, &one, 100 * KIB);
	http_backlog_set(&backlog, NULL, &two, 901 * KIB);
	uv_run(&loop.uv, UV_RUN_NOWAIT);
	assert_int_equal(dropped, 0);
	assert_int_equal(backlog.bytes, 110 * KIB);
}

/* Little waits for each of them, and more than for anybody else for all of them together. */
static void an_address_with_many_clients_has_its_own_dropped(void **state)
{
	struct http_backlog_share many, honest;

	(void)state;
	http_backlog_share_init(&many);
	http_backlog_share_init(&honest);
	http_backlog_set(&backlog, &honest, &three, 60000);
	http_backlog_set(&backlog, &many, &one, 30000);
	assert_ptr_equal(http_backlog_largest(&backlog), &honest);
	http_backlog_set(&backlog, &many, &two, 40000);
	assert_ptr_equal(http_backlog_largest(&backlog), &many);
	assert_ptr_equal(largest(), &two);
	http_backlog_set(&backlog, &many, &one, 0);
	http_backlog_set(&backlog, &many, &two, 0);
	assert_int_equal(many.bytes, 0);
	assert_null(many.classes); /* an address for which nothing waits takes little */
	assert_ptr_equal(largest(), &three);
	http_backlog_set(&backlog, &honest, &three, 0);
	assert_null(http_backlog_largest(&backlog));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(an_empty_backlog_has_no_largest, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(the_largest_is_found_as_they_grow_and_shrink, set_up,
					    tear_down),
	    cmocka_unit_test_setup_teardown(of_two_alike_it_is_the_one_that_waits_longer, set_up,
					    tear_down),
	    cmocka_unit_test_setup_teardown(the_largest_is_dropped_later, set_up_small, tear_down),
	    cmocka_unit_test_setup_teardown(what_was_taken_meanwhile_does_not_count, set_up_small,
					    tear_down),
	    cmocka_unit_test_setup_teardown(an_address_with_many_clients_has_its_own_dropped,
					    set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

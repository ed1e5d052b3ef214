#include "../cmocka_test.h"
#include "http/unsent.h"

enum { KIB = 1024 };

static struct loop loop;
static struct http_unsent unsent;
static struct http_unsent_entry one, two, three;
static size_t pending; /* of each object that is asked */
static unsigned dropped;

static size_t play_pending(const struct http_unsent_entry *entry)
{
	(void)entry;
	return pending;
}

static void play_drop(struct http_unsent_entry *entry)
{
	assert_ptr_equal(entry, &two);
	http_unsent_set(&unsent, NULL, entry, 0);
	dropped++;
}

static struct http_unsent_entry *largest(void)
{
	struct http_unsent_share *share = http_unsent_largest(&unsent);

	assert_non_null(share);
	return http_unsent_largest_of(share);
}

static const struct http_unsent_owner owner = {.pending = play_pending, .drop = play_drop};

static int set_up_with(size_t bytes_max)
{
	assert_int_equal(loop_init(&loop), 0);
	http_unsent_init(&unsent, &loop, bytes_max);
	unsent.owners[HTTP_UNSENT_WEBSOCKET] = &owner;
	http_unsent_entry_init(&one, HTTP_UNSENT_ANSWER);
	http_unsent_entry_init(&two, HTTP_UNSENT_WEBSOCKET);
	http_unsent_entry_init(&three, HTTP_UNSENT_ANSWER);
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
	http_unsent_finish(&unsent);
	loop_finish(&loop);
	return 0;
}

TEST_IN(nothing_unsent_has_no_largest, set_up, tear_down)
{
	assert_null(http_unsent_largest(&unsent));
	http_unsent_set(&unsent, NULL, &one, 1);
	http_unsent_set(&unsent, NULL, &one, 0);
	assert_null(http_unsent_largest(&unsent));
	assert_int_equal(unsent.bytes, 0);
}

TEST_IN(the_largest_is_found_as_they_grow_and_shrink, set_up, tear_down)
{
	http_unsent_set(&unsent, NULL, &one, 1000);
	http_unsent_set(&unsent, NULL, &two, 5000);
	http_unsent_set(&unsent, NULL, &three, 1);
	assert_int_equal(unsent.bytes, 6001);
	assert_ptr_equal(largest(), &two);
	http_unsent_set(&unsent, NULL, &three, 1 << 30);
	assert_ptr_equal(largest(), &three);
	http_unsent_set(&unsent, NULL, &three, 2);
	assert_ptr_equal(largest(), &two);
	http_unsent_set(&unsent, NULL, &two, 0);
	assert_ptr_equal(largest(), &one);
	assert_int_equal(unsent.bytes, 1002);
}

TEST_IN(of_two_alike_it_is_the_one_that_waits_longer, set_up, tear_down)
{
	http_unsent_set(&unsent, NULL, &one, 4096);
	http_unsent_set(&unsent, NULL, &two, 4096);
	http_unsent_set(&unsent, NULL, &one, 4097); /* keeps its place */
	assert_ptr_equal(largest(), &one);
	assert_int_equal(unsent.bytes, 8193);
}

TEST_IN(the_largest_is_dropped_later, set_up_small, tear_down)
{
	pending = 900 * KIB;
	http_unsent_set(&unsent, NULL, &one, 100 * KIB);
	http_unsent_set(&unsent, NULL, &two, 900 * KIB);
	uv_run(&loop.uv, UV_RUN_NOWAIT);
	assert_int_equal(dropped, 0);
	http_unsent_set(&unsent, NULL, &three, KIB);
	assert_int_equal(dropped, 0);
	uv_run(&loop.uv, UV_RUN_NOWAIT);
	assert_int_equal(dropped, 1);
	assert_int_equal(unsent.bytes, 101 * KIB);
}

TEST_IN(what_was_taken_meanwhile_does_not_count, set_up_small, tear_down)
{
	pending = 10 * KIB;
	http_unsent_set(&unsent, NULL, &one, 100 * KIB);
	http_unsent_set(&unsent, NULL, &two, 901 * KIB);
	uv_run(&loop.uv, UV_RUN_NOWAIT);
	assert_int_equal(dropped, 0);
	assert_int_equal(unsent.bytes, 110 * KIB);
}

/* Each of them has little unsent output, but together they have the most. */
TEST_IN(an_address_with_many_clients_has_its_own_dropped, set_up, tear_down)
{
	struct http_unsent_share many, honest;

	http_unsent_share_init(&many);
	http_unsent_share_init(&honest);
	http_unsent_set(&unsent, &honest, &three, 60000);
	http_unsent_set(&unsent, &many, &one, 30000);
	assert_ptr_equal(http_unsent_largest(&unsent), &honest);
	http_unsent_set(&unsent, &many, &two, 40000);
	assert_ptr_equal(http_unsent_largest(&unsent), &many);
	assert_ptr_equal(largest(), &two);
	http_unsent_set(&unsent, &many, &one, 0);
	http_unsent_set(&unsent, &many, &two, 0);
	assert_int_equal(many.bytes, 0);
	assert_null(many.classes); /* an address without unsent output takes little memory */
	assert_ptr_equal(largest(), &three);
	http_unsent_set(&unsent, &honest, &three, 0);
	assert_null(http_unsent_largest(&unsent));
}

RUN_TESTS(NULL, NULL)

#include "../cmocka_test.h"
#include "delivery_private.h"

static struct delivery delivery;

static int tear_down(void **state)
{
	(void)state;
	assert_int_equal(delivery.pictures.count, 0);
	assert_int_equal(delivery.picture_bytes, 0);
	assert_null(delivery.last_picture);
	map_finish(&delivery.pictures);
	return 0;
}

static void the_same_bytes_are_kept_once(void **state)
{
	char bytes[] = "no WebP, but bytes";
	struct picture one = picture_share(&delivery, str_from(bytes));
	struct picture other = picture_share(&delivery, STR("no WebP, but bytes"));

	(void)state;
	assert_ptr_equal(one.data.data, other.data.data);
	assert_ptr_not_equal(one.data.data, bytes);
	assert_int_equal(delivery.picture_bytes, strlen(bytes));
	assert_int_equal(one.loop_ms, 0);
	picture_release(&delivery, &one);
	assert_null(one.data.data);
	memset(bytes, 'x', sizeof(bytes) - 1);
	assert_true(str_equal(other.data, STR("no WebP, but bytes")));
	picture_release(&delivery, &other);
}

static void others_are_kept_beside(void **state)
{
	struct picture one = picture_share(&delivery, STR("one"));
	struct picture two = picture_share(&delivery, STR("two"));
	struct picture again = picture_share(&delivery, STR("one"));

	(void)state;
	assert_ptr_equal(one.data.data, again.data.data);
	assert_ptr_not_equal(one.data.data, two.data.data);
	assert_int_equal(delivery.picture_bytes, 6);
	picture_release(&delivery, &one);
	picture_release(&delivery, &two);
	assert_int_equal(delivery.picture_bytes, 3);
	assert_true(str_equal(again.data, STR("one")));
	picture_release(&delivery, &again);
}

static void one_that_is_gone_can_come_again(void **state)
{
	struct picture picture = picture_share(&delivery, STR("bytes"));

	(void)state;
	picture_release(&delivery, &picture);
	picture_release(&delivery, &picture); /* nothing is left to release */
	assert_int_equal(delivery.pictures.count, 0);
	picture = picture_share(&delivery, STR("bytes"));
	assert_true(str_equal(picture.data, STR("bytes")));
	picture_release(&delivery, &picture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(the_same_bytes_are_kept_once, tear_down),
	    cmocka_unit_test_teardown(others_are_kept_beside, tear_down),
	    cmocka_unit_test_teardown(one_that_is_gone_can_come_again, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "../cmocka_test.h"
#include "pictures.h"

#include <string.h>

static struct pictures pictures;

static int set_up(void **state)
{
	(void)state;
	pictures_init(&pictures, 20);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	assert_int_equal(pictures.bytes, 0);
	assert_null(pictures.last);
	pictures_finish(&pictures);
	return 0;
}

static void the_same_bytes_are_kept_once(void **state)
{
	char bytes[] = "no WebP, but bytes";
	struct picture one = pictures_share(&pictures, str_from(bytes));
	struct picture other = pictures_share(&pictures, STR("no WebP, but bytes"));

	(void)state;
	assert_ptr_equal(one.data.data, other.data.data);
	assert_ptr_not_equal(one.data.data, bytes);
	assert_int_equal(pictures.bytes, strlen(bytes));
	assert_int_equal(one.loop_ms, 0);
	pictures_release(&pictures, &one);
	assert_null(one.data.data);
	memset(bytes, 'x', sizeof(bytes) - 1);
	assert_true(str_equal(other.data, STR("no WebP, but bytes")));
	pictures_release(&pictures, &other);
}

static void others_are_kept_beside(void **state)
{
	struct picture one = pictures_share(&pictures, STR("one"));
	struct picture two = pictures_share(&pictures, STR("two"));
	struct picture again = pictures_share(&pictures, STR("one"));

	(void)state;
	assert_ptr_equal(one.data.data, again.data.data);
	assert_ptr_not_equal(one.data.data, two.data.data);
	assert_int_equal(pictures.bytes, 6);
	pictures_release(&pictures, &one);
	pictures_release(&pictures, &two);
	assert_int_equal(pictures.bytes, 3);
	assert_true(str_equal(again.data, STR("one")));
	pictures_release(&pictures, &again);
}

static void a_picture_that_is_gone_can_come_again(void **state)
{
	struct picture picture = pictures_share(&pictures, STR("bytes"));

	(void)state;
	pictures_release(&pictures, &picture);
	pictures_release(&pictures, &picture); /* nothing is left to release */
	assert_int_equal(pictures.by_bytes.count, 0);
	picture = pictures_share(&pictures, STR("bytes"));
	assert_true(str_equal(picture.data, STR("bytes")));
	pictures_release(&pictures, &picture);
}

static void memory_is_short_from_the_limit_on(void **state)
{
	struct picture small = pictures_share(&pictures, STR("nineteen bytes long"));
	struct picture same = pictures_share(&pictures, STR("nineteen bytes long"));
	struct picture more;

	(void)state;
	assert_false(pictures_are_full(&pictures));
	more = pictures_share(&pictures, STR("x"));
	assert_true(pictures_are_full(&pictures));
	pictures_release(&pictures, &small);
	assert_true(pictures_are_full(&pictures));
	pictures_release(&pictures, &same);
	assert_false(pictures_are_full(&pictures));
	pictures_release(&pictures, &more);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(the_same_bytes_are_kept_once),
	    TEST(others_are_kept_beside),
	    TEST(a_picture_that_is_gone_can_come_again),
	    TEST(memory_is_short_from_the_limit_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

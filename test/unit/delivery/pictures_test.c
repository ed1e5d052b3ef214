#include "../cmocka_test.h"
#include "pictures.h"

#include <string.h>

static struct pictures pictures;
static struct account_shares shares;
static struct account_share *owner;

static int set_up(void **state)
{
	(void)state;
	pictures_init(&pictures, 20);
	owner = account_share_hold(&shares, (struct id){{1}});
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	assert_int_equal(pictures.bytes, 0);
	assert_null(pictures.last);
	pictures_finish(&pictures);
	account_share_let_go(owner);
	account_shares_finish(&shares);
	return 0;
}

#define SCENE(function) TEST_IN(function, set_up, tear_down)

SCENE(the_same_bytes_are_kept_once)
{
	char bytes[] = "no WebP, but bytes";
	struct picture one = pictures_share(&pictures, owner, str_from(bytes));
	struct picture other = pictures_share(&pictures, owner, STR("no WebP, but bytes"));

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

SCENE(others_are_kept_beside)
{
	struct picture one = pictures_share(&pictures, owner, STR("one"));
	struct picture two = pictures_share(&pictures, owner, STR("two"));
	struct picture again = pictures_share(&pictures, owner, STR("one"));

	assert_ptr_equal(one.data.data, again.data.data);
	assert_ptr_not_equal(one.data.data, two.data.data);
	assert_int_equal(pictures.bytes, 6);
	pictures_release(&pictures, &one);
	pictures_release(&pictures, &two);
	assert_int_equal(pictures.bytes, 3);
	assert_true(str_equal(again.data, STR("one")));
	pictures_release(&pictures, &again);
}

SCENE(a_picture_that_is_gone_can_come_again)
{
	struct picture picture = pictures_share(&pictures, owner, STR("bytes"));

	pictures_release(&pictures, &picture);
	pictures_release(&pictures, &picture); /* nothing is left to release */
	assert_int_equal(pictures.by_bytes.count, 0);
	picture = pictures_share(&pictures, owner, STR("bytes"));
	assert_true(str_equal(picture.data, STR("bytes")));
	pictures_release(&pictures, &picture);
}

SCENE(memory_is_short_from_the_limit_on)
{
	struct picture small = pictures_share(&pictures, owner, STR("nine byte"));
	struct picture same = pictures_share(&pictures, owner, STR("nine byte"));
	struct picture more;

	assert_false(pictures_are_full(&pictures, owner));
	more = pictures_share(&pictures, owner, STR("x"));
	assert_true(pictures_are_full(&pictures, owner)); /* half of all */
	pictures_release(&pictures, &small);
	assert_true(pictures_are_full(&pictures, owner));
	pictures_release(&pictures, &same);
	assert_false(pictures_are_full(&pictures, owner));
	pictures_release(&pictures, &more);
}

SCENE(an_account_has_what_it_leaves_to_others)
{
	struct account_share *other = account_share_hold(&shares, (struct id){{2}});
	struct picture half = pictures_keep(&pictures, owner, STR("ten bytes."));
	struct picture none = pictures_keep(&pictures, owner, STR("one more"));
	struct picture same = pictures_keep(&pictures, owner, STR("ten bytes."));
	struct picture others, more;

	assert_non_null(half.data.data);
	assert_null(none.data.data);
	assert_ptr_equal(same.data.data, half.data.data); /* uses no memory */
	assert_false(pictures_are_full(&pictures, other));
	others = pictures_keep(&pictures, other, STR("five."));
	assert_non_null(others.data.data);
	assert_int_equal(owner->picture_bytes, 10);
	assert_int_equal(other->picture_bytes, 5);
	assert_null(pictures_keep(&pictures, other, STR("x")).data.data);
	/* A picture that was read for an answer is still kept for it. */
	more = pictures_share(&pictures, other, STR("x"));
	assert_non_null(more.data.data);
	pictures_release(&pictures, &half);
	assert_int_equal(owner->picture_bytes, 10);
	pictures_release(&pictures, &same);
	assert_int_equal(owner->picture_bytes, 0);
	pictures_release(&pictures, &others);
	pictures_release(&pictures, &more);
	account_share_let_go(other);
}

static const struct picture_look sepia = {.filter = COLOR_FILTER_SEPIA};

SCENE(looks_live_as_long_as_their_picture)
{
	struct picture one = pictures_share(&pictures, owner, STR("one"));
	struct picture none = {0};

	assert_null(picture_with_look(&none, sepia).data);
	assert_null(picture_with_look(&one, sepia).data);
	pictures_keep_look(&pictures, &one, sepia, STR("brown"));
	assert_true(str_equal(picture_with_look(&one, sepia), STR("brown")));
	assert_null(
	    picture_with_look(&one, (struct picture_look){.filter = COLOR_FILTER_SEPIA, .dark = 1})
		.data);
	assert_int_equal(pictures.bytes, 8);
	assert_int_equal(owner->picture_bytes, 8);
	pictures_release(&pictures, &one);
	assert_int_equal(owner->picture_bytes, 0);
}

SCENE(a_look_that_cannot_be_made)
{
	struct picture one = pictures_share(&pictures, owner, STR("one"));

	pictures_keep_look(&pictures, &one, sepia, (struct str){0});
	assert_ptr_equal(picture_with_look(&one, sepia).data, one.data.data);
	pictures_release(&pictures, &one);
}

SCENE(the_newest_looks_are_kept)
{
	struct picture one = pictures_share(&pictures, owner, STR("one"));

	for (uint8_t dark = 1; dark < 20; dark++)
		pictures_keep_look(&pictures, &one, (struct picture_look){.dark = dark}, STR("1"));
	for (uint8_t dark = 1; dark < 20; dark++)
		assert_int_equal(
		    picture_with_look(&one, (struct picture_look){.dark = dark}).data != NULL,
		    dark >= 12);
	assert_int_equal(pictures.bytes, 3 + 8);
	pictures_release(&pictures, &one);
}

SCENE(a_panel_that_can_load_the_bytes_needs_no_look)
{
	char bytes[2500];
	struct picture_look small = {.limit_kb = 2}, large = {.limit_kb = 3}, any = {0};
	struct picture one;

	memset(bytes, 'x', sizeof(bytes));
	one = pictures_share(&pictures, owner, (struct str){bytes, sizeof(bytes)});
	assert_ptr_equal(picture_with_look(&one, any).data, one.data.data);
	assert_ptr_equal(picture_with_look(&one, large).data, one.data.data);
	assert_null(picture_with_look(&one, small).data);
	pictures_keep_look(&pictures, &one, small, STR("cut"));
	assert_true(str_equal(picture_with_look(&one, small), STR("cut")));
	assert_ptr_equal(picture_with_look(&one, large).data, one.data.data);
	pictures_release(&pictures, &one);
}

SCENE(a_look_is_made_once_for_all_panels_that_can_load_it)
{
	struct picture one = pictures_share(&pictures, owner, STR("one"));
	struct picture_look small = sepia, large = sepia, other = sepia;
	char bytes[2500];

	small.limit_kb = 2;
	large.limit_kb = 3;
	other.limit_kb = 2;
	other.dark = 1;
	pictures_keep_look(&pictures, &one, large, STR("brown"));
	assert_true(str_equal(picture_with_look(&one, small), STR("brown")));
	assert_null(picture_with_look(&one, sepia).data); /* might have been cut */
	assert_null(picture_with_look(&one, other).data);
	memset(bytes, 'x', sizeof(bytes));
	pictures_keep_look(&pictures, &one, (struct picture_look){.limit_kb = 3, .dark = 1},
			   (struct str){bytes, sizeof(bytes)});
	assert_null(picture_with_look(&one, (struct picture_look){.limit_kb = 2, .dark = 1}).data);
	pictures_release(&pictures, &one);
}

RUN_TESTS(NULL, NULL)

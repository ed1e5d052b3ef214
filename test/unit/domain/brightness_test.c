#include "base/memory.h"
#include "domain/brightness.h"

#include "../cmocka_test.h"

static struct brightness_curve curve(const char *board, const char *points)
{
	return brightness_curve_of(str_from(board), str_from(points));
}

static void sends(struct brightness_curve of, const int expected[static 11])
{
	for (int i = 0; i <= 10; i++)
		assert_int_equal(brightness_sent(&of, 10 * i), expected[i]);
}

TEST(without_a_curve_the_number_is_sent)
{
	struct brightness_curve none = curve("", "");

	for (int percent = 0; percent <= 100; percent++) {
		assert_int_equal(brightness_sent(&none, percent), percent);
		assert_int_equal(brightness_from_sent(&none, percent), percent);
	}
}

TEST(boards)
{
	sends(curve("tidbyt_gen1", ""), (int[]){0, 1, 1, 8, 15, 20, 25, 30, 35, 43, 50});
	sends(curve("tidbyt_gen2", ""), (int[]){0, 3, 3, 6, 8, 12, 16, 26, 35, 68, 100});
	sends(curve("tronbyt_s3", ""), (int[]){0, 1, 1, 5, 8, 10, 12, 24, 35, 68, 100});
	sends(curve("other", ""), (int[]){0, 1, 1, 5, 8, 10, 12, 24, 35, 68, 100});
}

TEST(own_points_within_what_is_safe)
{
	sends(curve("", "2,4,6,8,10"), (int[]){0, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10});
	sends(curve("tidbyt_gen2", "2,4,6,8,90"), (int[]){0, 2, 2, 3, 4, 5, 6, 7, 8, 49, 90});
	sends(curve("tidbyt_gen1", "10,20,60,90,100"),
	      (int[]){0, 10, 10, 15, 20, 35, 50, 50, 50, 50, 50});
}

/* Each step up is none down, and the reverse finds what is sent for the percentage. */
static void rises(struct brightness_curve of)
{
	for (int percent = 1; percent <= 100; percent++) {
		int sent = brightness_sent(&of, percent);

		assert_true(sent >= 1 && sent <= 100);
		assert_true(sent >= brightness_sent(&of, percent - 1));
		assert_int_equal(brightness_sent(&of, brightness_from_sent(&of, sent)), sent);
	}
	assert_int_equal(brightness_from_sent(&of, 0), 0);
}

TEST(curves_rise)
{
	rises(curve("tidbyt_gen1", ""));
	rises(curve("tidbyt_gen2", ""));
	rises(curve("other", ""));
	rises(curve("", "1,1,1,1,1"));
	rises(curve("", "100,100,100,100,100"));
	rises(curve("", "1,2,99,99,100"));
}

TEST(points)
{
	static const char *const good[] = {"", "1,1,1,1,1", "3,8,16,35,100"};
	static const char *const bad[] = {
	    ",",	 "1,2,3,4",   "1,2,3,4,5,6", "0,2,3,4,5",  "1,2,3,4,101",
	    "2,1,3,4,5", "1,2,3,4,x", "-1,2,3,4,5",  " 1,2,3,4,5", "0001,2,3,4,5",
	    "1,2,3,4,",	 "1,,3,4,5",  "1,2,3,4,5,"};

	for (size_t i = 0; i < array_length(good); i++)
		assert_null(brightness_points_check(str_from(good[i])));
	for (size_t i = 0; i < array_length(bad); i++)
		assert_non_null(brightness_points_check(str_from(bad[i])));
}

RUN_TESTS(NULL, NULL)

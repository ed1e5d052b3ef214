/* Tests when progress is shown, and how. */
#include "../cmocka_test.h"
#include "progress.h"

TEST(test_a_terminal_gets_a_line_a_second)
{
	struct progress progress;
	char line[PROGRESS_LINE_MAX];

	progress_begin(&progress, true, 5000);
	assert_string_equal(progress_end(&progress), "");
	assert_false(progress_is_due(&progress, 5999));
	assert_true(progress_is_due(&progress, 6000));
	progress_write(&progress, 6000, 41, 1936, 0, line);
	assert_string_equal(line, "\r41 of 1936");
	assert_false(progress_is_due(&progress, 6999));
	progress_write(&progress, 7000, 1936, 1936, 3, line);
	assert_string_equal(line, "\r1936 of 1936, 3 failed");
	assert_string_equal(progress_end(&progress), "\n");
}

TEST(test_a_log_gets_a_line_a_minute)
{
	struct progress progress;
	char line[PROGRESS_LINE_MAX];

	progress_begin(&progress, false, 5000);
	assert_false(progress_is_due(&progress, 64999));
	assert_true(progress_is_due(&progress, 65000));
	progress_write(&progress, 65000, 41, 1936, 1, line);
	assert_string_equal(line, "41 of 1936, 1 failed\n");
	assert_false(progress_is_due(&progress, 124999));
	assert_true(progress_is_due(&progress, 125000));
	assert_string_equal(progress_end(&progress), "");
}

RUN_TESTS(NULL, NULL)

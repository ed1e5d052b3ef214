/* Tests esbuild's output, whole and cut anywhere. */
#include "../cmocka_test.h"
#include "render/complaint.h"

#include <stdlib.h>

static const char text[] = "\xe2\x9c\x98 [ERROR] Unexpected \";\"\n\n    app.ts:2:12:\n"
			   "      2 |   return 1 +;\n        |             ^\n\n1 error\n";

TEST(test_the_place_is_counted_from_1)
{
	struct complaint complaint;

	assert_true(complaint_read(str_from(text), &complaint));
	assert_true(str_equal(complaint.message, STR("Unexpected \";\"")));
	assert_int_equal(complaint.line, 2);
	assert_int_equal(complaint.column, 13);
}

TEST(test_without_a_place)
{
	struct complaint complaint;

	assert_true(complaint_read(STR("[ERROR] No such thing"), &complaint));
	assert_true(str_equal(complaint.message, STR("No such thing")));
	assert_int_equal(complaint.line, 0);
	assert_int_equal(complaint.column, 0);
	assert_true(complaint_read(
	    STR("[ERROR] panic: Expected scope (7, 35) in app.ts, found scope (7, 37)\n"),
	    &complaint));
	assert_true(str_starts_with(complaint.message, STR("esbuild crashed on this script")));
	assert_int_equal(complaint.line, 0);
	assert_false(complaint_read(STR("all is well"), &complaint));
	assert_false(complaint_read(STR(""), &complaint));
}

/* A sanitizer detects reads after the end of the text. */
TEST(test_any_part_of_it)
{
	for (size_t length = 0; length < sizeof(text); length++) {
		char *part = malloc(length ? length : 1);
		struct complaint complaint;

		assert_non_null(part);
		memcpy(part, text, length);
		(void)complaint_read((struct str){part, length}, &complaint);
		free(part);
	}
}

TEST(test_numbers_that_are_too_large)
{
	struct complaint complaint;

	assert_true(complaint_read(
	    STR("[ERROR] x\n\n    app.ts:99999999999999999999:99999999999999999999:"), &complaint));
	assert_true(complaint.line > 0);
	assert_true(complaint.column > 0);
}

RUN_TESTS(NULL, NULL)

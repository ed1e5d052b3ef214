#include "../src/clock.h"
#include "../src/source_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* after the headers that it needs */
#include "../../../test/unit/cmocka_test.h"

TEST(offsets_follow_the_changes)
{
	static const struct clock_change changes[] = {{100, 3600}, {200, 7200}, {300, -60}};

	clock_set(5, changes, 3);
	assert_int_equal(clock_now_ms(), 5);
	assert_int_equal(clock_offset_s(INT64_MIN), 3600);
	assert_int_equal(clock_offset_s(100), 3600);
	assert_int_equal(clock_offset_s(199), 3600);
	assert_int_equal(clock_offset_s(200), 7200);
	assert_int_equal(clock_offset_s(300), -60);
	assert_int_equal(clock_offset_s(INT64_MAX), -60);
	clock_set(0, NULL, 0);
	assert_int_equal(clock_offset_s(0), 0);
}

/* "let a: number = 1;\nnobody;\n" without its type. */
static const char mapped[] = "let a = 1;\nnobody;\n" SOURCE_MAP_COMMENT
			     "eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbImFwcC50cyJdLCJtYXBwaW5ncyI6IkFBQUEs"
			     "SUFBSSxJQUFZO0FBQ2hCOyIsIm5hbWVzIjpbXX0=\n";

TEST(places_are_those_of_the_source)
{
	unsigned line = 0, column = 0;

	assert_true(source_map_find(mapped, sizeof(mapped) - 1, 1, 9, &line, &column));
	assert_int_equal(line, 1);
	assert_int_equal(column, 17);
	assert_true(source_map_find(mapped, sizeof(mapped) - 1, 2, 1, &line, &column));
	assert_int_equal(line, 2);
	assert_int_equal(column, 1);
	assert_false(source_map_find(mapped, sizeof(mapped) - 1, 3, 1, &line, &column));
	assert_false(source_map_find("a;", 2, 1, 1, &line, &column));
	assert_false(source_map_find("", 0, 1, 1, &line, &column));
}

/* Any byte may be wrong, and any part missing. */
TEST(maps_may_be_anything)
{
	unsigned line, column;

	for (size_t length = 0; length < sizeof(mapped); length++) {
		char *cut = malloc(length + 1);

		memcpy(cut, mapped, length);
		cut[length] = '\0';
		(void)source_map_find(cut, length, 2, 1, &line, &column);
		free(cut);
	}
	for (size_t at = 0; at < sizeof(mapped) - 1; at++) {
		char wrong[sizeof(mapped)];

		memcpy(wrong, mapped, sizeof(mapped));
		for (const char *c = "g/A,;\"\x80"; *c; c++) {
			wrong[at] = *c;
			(void)source_map_find(wrong, sizeof(mapped) - 1, 2, 1, &line, &column);
		}
	}
}

RUN_TESTS(NULL, NULL)

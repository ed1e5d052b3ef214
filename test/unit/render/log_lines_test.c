/* Tests the lines that scripts print, and their limits. */
#include "../cmocka_test.h"
#include "log_lines.h"

#include <limits.h>
#include <stdlib.h>

#define MARK "\u2026"

static char *repeat(const char *text, size_t times)
{
	struct buffer buffer = {0};
	char *copy;

	for (size_t i = 0; i < times; i++)
		buffer_append_str(&buffer, str_from(text));
	buffer_append_char(&buffer, '\0');
	copy = strdup(buffer_view(&buffer).data);
	buffer_finish(&buffer);
	return copy;
}

static unsigned lines_of(struct str text)
{
	unsigned lines = 0;

	for (size_t i = 0; i < text.length; i++)
		lines += text.data[i] == '\n';
	return lines;
}

/* Checks the text, and frees it. */
static void check(char *log, unsigned dropped, const char *before, const char *end)
{
	struct arena arena = {0};
	struct str text = log_text(str_from(log), dropped, &arena);
	size_t tail = strlen(end);

	assert_in_range(text.length, tail, LOG_BYTES_MAX);
	assert_in_range(lines_of(text), 0, LOG_LINES_MAX);
	assert_true(str_starts_with(text, str_from(before)));
	assert_true(str_equal(str_from_offset(text, text.length - tail), str_from(end)));
	arena_finish(&arena);
	free(log);
}

TEST(test_what_fits_stays)
{
	check(repeat("", 1), 0, "", "");
	check(repeat("a\nb\n", 25), 0, "a\nb\n", "a\nb\n");
	check(repeat("1234567\n", 1024 / 32), 0, "1234567\n", "1234567\n");
}

TEST(test_the_last_line_tells_what_is_not_there)
{
	check(repeat("a\n", 3), 7, "a\na\na\n", "a\na\n... and 7 lines more\n");
	check(repeat("a\n", 50), 1, "a\n", "a\n... and 2 lines more\n");
	check(repeat("a\n", 60), 0, "a\n", "a\n... and 11 lines more\n");
	check(repeat("", 1), UINT_MAX, "... and", "... and 4294967295 lines more\n");
}

TEST(test_a_long_line_is_cut)
{
	check(repeat("x", 9000), 0, "xxx", "x" MARK "\n");
	check(repeat("\u00f6", 9000), 0, "\u00f6", "\u00f6" MARK "\n");
	check(repeat("\u20ac", 9000), 3, "\u20ac", "\u20ac" MARK "\n... and 3 lines more\n");
	check(repeat("0123456789012345678901234567890123456789012345678901234567890123456789"
		     "0123456789012345678901234567890123456789012345678901234567890123456789"
		     "0123456789012345678901234567890123456789\n",
		     50),
	      2, "0123", MARK "\n... and 6 lines more\n");
}

TEST(test_no_nul)
{
	struct arena arena = {0};

	assert_true(str_equal(log_text(STR("a\0b\n"), 0, &arena), STR("a b\n")));
	assert_true(
	    str_equal(log_text(STR("a\0b\n"), 1, &arena), STR("a b\n... and 1 line more\n")));
	arena_finish(&arena);
}

TEST(test_lines_are_counted)
{
	struct log_lines log = {0};

	log_lines_add(&log, STR("a\n\nb"));
	log_lines_add(&log, STR(""));
	assert_true(str_equal(buffer_view(&log.text), STR("a\n\nb\n\n")));
	for (int i = 0; i < 60; i++)
		log_lines_add(&log, STR("c"));
	assert_int_equal(log.count, LOG_LINES_MAX);
	assert_int_equal(log.dropped, 14);
	buffer_finish(&log.text);
}

RUN_TESTS(NULL, NULL)

#include "text/str.h"
#include "text_test.h"

#include <limits.h>

static const struct str null = {0};

TEST(equality)
{
	assert_true(str_equal(STR("abc"), STR("abc")));
	assert_false(str_equal(STR("abc"), STR("abd")));
	assert_false(str_equal(STR("abc"), STR("ab")));
	assert_true(str_equal(null, STR("")));
	assert_true(str_equal_ignore_case(STR("Content-Length"), STR("cONTENT-lENGTH")));
	assert_false(str_equal_ignore_case(STR("a"), STR("ab")));
	assert_true(str_starts_with_ignore_case(STR("HTTPS://a"), STR("https://")));
	assert_false(str_starts_with_ignore_case(STR("HTTPS:/"), STR("https://")));
	assert_false(str_starts_with_ignore_case(null, STR("a")));
	assert_true(str_equal_ignore_case(null, STR("")));
	assert_true(str_starts_with(STR("abc"), STR("ab")));
	assert_true(str_starts_with(STR("abc"), null));
	assert_true(str_starts_with(null, null));
	assert_false(str_starts_with(STR("ab"), STR("abc")));
}

/* Only A-Z and a-z are the same letters; "@" and "`" differ by the same bit and are not. */
TEST(case_of_every_pair)
{
	for (int a = 0; a < 256; a++) {
		for (int b = 0; b < 256; b++) {
			char x = (char)a;
			char y = (char)b;
			bool expected =
			    a == b || ((a ^ b) == 0x20 && (a | 0x20) >= 'a' && (a | 0x20) <= 'z');

			assert_int_equal(
			    str_equal_ignore_case((struct str){&x, 1}, (struct str){&y, 1}),
			    expected);
		}
	}
}

TEST(finding_and_trimming)
{
	assert_int_equal(str_find(STR("abcb"), 'b'), 1);
	assert_int_equal(str_find(STR("abcb"), 'x'), 4);
	assert_int_equal(str_find(null, 'x'), 0);
	assert_true(str_equal(str_trim(STR(" \t a b \t ")), STR("a b")));
	assert_true(str_equal(str_trim(STR(" \t ")), STR("")));
	assert_true(str_equal(str_trim(STR("\na\v")), STR("\na\v")));
	assert_true(str_equal(str_trim(null), null));
	assert_true(str_equal(str_from_offset(STR("abc"), 3), STR("")));
	assert_null(str_from_offset(null, 0).data);
	assert_true(str_equal(str_from(NULL), null));
}

static bool number(const char *text, unsigned long long max, unsigned long long *ret)
{
	return str_to_uint64(str_from(text), max, ret);
}

TEST(numbers)
{
	unsigned long long value = 99;

	assert_true(number("0", 10, &value));
	assert_int_equal(value, 0);
	assert_true(number("0010", 10, &value));
	assert_int_equal(value, 10);
	assert_true(number("18446744073709551615", ULLONG_MAX, &value));
	assert_true(value == ULLONG_MAX);
	value = 99;
	assert_false(number("18446744073709551616", ULLONG_MAX, &value));
	assert_false(number("184467440737095516150", ULLONG_MAX, &value));
	assert_false(number("99999999999999999999", ULLONG_MAX, &value));
	assert_false(number("11", 10, &value));
	assert_false(number("", 10, &value));
	assert_false(number("-1", 10, &value));
	assert_false(number("+1", 10, &value));
	assert_false(number(" 1", 10, &value));
	assert_false(number("1 ", 10, &value));
	assert_false(number("0x1", 10, &value));
	assert_false(number("1\xb2", 10, &value));
	assert_false(str_to_uint64(STR("1\0"), 10, &value));
	assert_int_equal(value, 99);
}

TEST(pieces)
{
	struct str rest = STR("a,,b");
	struct str piece;

	assert_true(str_next(&rest, ',', &piece));
	assert_true(str_equal(piece, STR("a")));
	assert_true(str_next(&rest, ',', &piece));
	assert_true(str_equal(piece, STR("")));
	assert_true(str_next(&rest, ',', &piece));
	assert_true(str_equal(piece, STR("b")));
	assert_false(str_next(&rest, ',', &piece));
	rest = STR(",");
	assert_true(str_next(&rest, ',', &piece));
	assert_true(str_next(&rest, ',', &piece));
	assert_int_equal(piece.length, 0);
	assert_false(str_next(&rest, ',', &piece));
	rest = null;
	assert_false(str_next(&rest, ',', &piece));
}

RUN_TESTS(NULL, NULL)

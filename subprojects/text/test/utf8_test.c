#include "text/utf8.h"
#include "text_test.h"
#include "vectors.h"

#include <stdlib.h>

static size_t encode(uint32_t c, char *text)
{
	if (c < 0x80) {
		text[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		text[0] = (char)(0xc0 | c >> 6);
		text[1] = (char)(0x80 | (c & 63));
		return 2;
	}
	if (c < 0x10000) {
		text[0] = (char)(0xe0 | c >> 12);
		text[1] = (char)(0x80 | (c >> 6 & 63));
		text[2] = (char)(0x80 | (c & 63));
		return 3;
	}
	text[0] = (char)(0xf0 | c >> 18);
	text[1] = (char)(0x80 | (c >> 12 & 63));
	text[2] = (char)(0x80 | (c >> 6 & 63));
	text[3] = (char)(0x80 | (c & 63));
	return 4;
}

/* All numbers that four bytes can spell, surrogates and those above U+10FFFF included. */
TEST(every_code_point)
{
	for (uint32_t c = 0; c < 0x200000; c++) {
		char text[4];
		struct str s = {text, encode(c, text)};
		bool is_good = c < 0xd800 || (c > 0xdfff && c < 0x110000);

		if (utf8_is_valid(s) != is_good)
			fail_msg("U+%04X", c);
		if (!is_good)
			continue;
		if (utf8_sequence_length(s) != s.length || utf8_length(s) != 1 ||
		    utf8_next(&s) != c || s.length != 0)
			fail_msg("U+%04X", c);
	}
}

/* Memory of exactly the text's size: a look behind it is seen. */
static bool is_valid_copy(const char *text, size_t length)
{
	char *copy = take(length);
	bool valid;

	memcpy(copy, text, length);
	valid = utf8_is_valid((struct str){copy, length});
	free(copy);
	return valid;
}

static void check_all_texts(size_t length, const uint8_t *good)
{
	size_t letters = array_length(utf8_borders);
	size_t count = 1;

	for (size_t i = 0; i < length; i++)
		count *= letters;
	for (size_t n = 0; n < count; n++) {
		char text[4];

		for (size_t i = 0, rest = n; i < length; i++, rest /= letters)
			text[length - 1 - i] = (char)utf8_borders[rest % letters];
		assert_int_equal(is_valid_copy(text, length), good[n / 8] >> n % 8 & 1);
	}
}

TEST(short_texts_as_python_has_them)
{
	check_all_texts(1, utf8_good_1);
	check_all_texts(2, utf8_good_2);
	check_all_texts(3, utf8_good_3);
	check_all_texts(4, utf8_good_4);
}

static void assert_exactly(const uint32_t *expected, size_t count, bool (*predicate)(uint32_t))
{
	size_t found = 0;

	for (uint32_t c = 0; c < 0x110000; c++) {
		if (!predicate(c))
			continue;
		assert_true(found < count);
		assert_int_equal(c, expected[found++]);
	}
	assert_int_equal(found, count);
}

TEST(classes_as_python_has_them)
{
	assert_exactly(control_characters, array_length(control_characters), utf8_is_control);
	assert_exactly(white_space, array_length(white_space), utf8_is_space);
}

TEST(lengths)
{
	assert_int_equal(utf8_length(STR("")), 0);
	assert_int_equal(utf8_length((struct str){0}), 0);
	assert_int_equal(utf8_length(STR("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\0")), 5);
	assert_true(utf8_is_valid((struct str){0}));
	assert_int_equal(utf8_sequence_length((struct str){0}), 0);
	assert_int_equal(utf8_sequence_length(STR("\x80")), 0);
}

TEST(test_what_steers)
{
	static const uint32_t steering[] = {0,	    0x1b,   0x7f,   0x80,   0x9f,   0x61c,  0x200e,
					    0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2066, 0x2069};
	static const uint32_t harmless[] = {' ',    '~',    0xa0,   0xad,   0x61b,
					    0x61d,  0x200d, 0x2010, 0x2027, 0x202f,
					    0x2065, 0x206a, 0xfeff, 0x1f4a1};
	char text[UTF8_ESCAPE_BYTES + 1];

	for (size_t i = 0; i < array_length(steering); i++)
		assert_true(utf8_is_steering(steering[i]));
	for (size_t i = 0; i < array_length(harmless); i++)
		assert_false(utf8_is_steering(harmless[i]));
	utf8_escape(0x202e, text);
	assert_string_equal(text, "\\u202e");
}

/* A text is taken in pieces as it is taken whole, wherever they end. */
TEST(texts_in_pieces)
{
	static const char text[] = "0123456789\xc3\xa9 \xe2\x82\xac\xf0\x9f\x98\x80";
	struct utf8_stream surrogate = {0};

	for (size_t first = 0; first < sizeof(text); first++) {
		for (size_t second = first; second < sizeof(text); second++) {
			struct utf8_stream stream = {0};

			assert_true(utf8_add(&stream, (struct str){text, first}));
			assert_true(utf8_add(&stream, (struct str){text + first, second - first}));
			assert_int_equal(stream.left == 0,
					 utf8_is_valid((struct str){text, second}));
		}
	}
	assert_true(utf8_add(&surrogate, STR("a\xed")));
	assert_false(utf8_add(&surrogate, STR("\xa0")));
}

TEST(cuts_are_between_characters)
{
	const struct str text = STR("a\xc3\xa9\xe2\x82\xac");
	static const size_t lengths[] = {0, 1, 1, 3, 3, 3, 6, 6};

	for (size_t most = 0; most < array_length(lengths); most++)
		assert_int_equal(utf8_cut(text, most).length, lengths[most]);
	assert_int_equal(utf8_cut((struct str){0}, 0).length, 0);
}

RUN_TESTS(NULL, NULL)

#include "text/base64.h"
#include "text_test.h"
#include "vectors.h"

#include <errno.h>
#include <stdio.h>

/* Decodes a copy of exactly its size into memory of exactly the promised size, so that sanitizers
 * and valgrind see a byte too far. */
static int decode(struct str text, uint8_t *ret_data, size_t *ret_size)
{
	char *copy = take(text.length);
	uint8_t *data = take(base64_decoded_max(text.length));
	int error;

	if (text.length)
		memcpy(copy, text.data, text.length);
	error = base64_decode((struct str){copy, text.length}, data, ret_size);
	if (!error) {
		assert_in_range(*ret_size, 0, base64_decoded_max(text.length));
		memcpy(ret_data, data, *ret_size);
	}
	free(copy);
	free(data);
	return error;
}

static void hex_encode(const uint8_t *data, size_t size, char *ret_text)
{
	*ret_text = '\0';
	for (size_t i = 0; i < size; i++)
		ret_text += sprintf(ret_text, "%02x", data[i]);
}

TEST(python_vectors)
{
	for (size_t i = 0; i < array_length(base64_vectors); i++) {
		struct str text = str_from(base64_vectors[i].text);
		uint8_t data[300];
		char hex[600];
		size_t size = 999;

		assert_int_equal(decode(text, data, &size), 0);
		hex_encode(data, size, hex);
		assert_string_equal(hex, base64_vectors[i].hex);
		if (text.length % 4 == 0 && str_find(text, '-') == text.length &&
		    str_find(text, '_') == text.length) {
			char *back = take(base64_encoded_length(size));

			base64_encode(data, size, back);
			assert_int_equal(base64_encoded_length(size), text.length);
			assert_memory_equal(back, text.data, text.length);
			free(back);
		}
	}
}

TEST(digits_have_their_values)
{
	const struct str digits =
	    STR("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");

	for (int c = 0; c < 256; c++) {
		size_t at = str_find(digits, (char)c);

		assert_int_equal(base64_value((char)c), at < 64 ? (int)at : -1);
	}
}

/* All texts of up to four characters out of those at the borders of the alphabets. */
static void check_all_texts(size_t length, const uint8_t *good)
{
	size_t letters = array_length(base64_borders);
	size_t count = 1;

	for (size_t i = 0; i < length; i++)
		count *= letters;
	for (size_t n = 0; n < count; n++) {
		char text[4];
		uint8_t data[8];
		size_t size = 999;
		bool is_good = good[n / 8] >> n % 8 & 1;

		for (size_t i = 0, rest = n; i < length; i++, rest /= letters)
			text[length - 1 - i] = (char)base64_borders[rest % letters];
		assert_int_equal(decode((struct str){text, length}, data, &size),
				 is_good ? 0 : -EINVAL);
		if (!is_good)
			assert_int_equal(size, 999);
	}
}

TEST(short_texts_as_python_has_them)
{
	check_all_texts(1, base64_good_1);
	check_all_texts(2, base64_good_2);
	check_all_texts(3, base64_good_3);
	check_all_texts(4, base64_good_4);
}

TEST(every_other_byte_is_refused_everywhere)
{
	static const char alphabet[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (int c = 0; c < 256; c++) {
		for (size_t position = 0; position < 12; position++) {
			char text[] = "AAAAAAAAAAAA";
			uint8_t data[16];
			size_t size;
			bool is_good = c && strchr(alphabet, c);

			text[position] = (char)c;
			is_good = is_good || c == '-' || c == '_' || (c == '=' && position == 11);
			/* without white space a character is missing, but no group is broken */
			is_good = is_good || (c && strchr(" \t\r\n\f", c));
			assert_int_equal(decode((struct str){text, 12}, data, &size),
					 is_good ? 0 : -EINVAL);
		}
	}
}

TEST(alphabets_are_never_mixed)
{
	uint8_t data[64];
	size_t size;

	assert_int_equal(decode(STR("AAA+AAAAAAA/"), data, &size), 0);
	assert_int_equal(decode(STR("AAA-AAAAAAA_"), data, &size), 0);
	assert_int_equal(decode(STR("AAA+AAAAAAA_"), data, &size), -EINVAL);
	assert_int_equal(decode(STR("AAA-AAAAAA/="), data, &size), -EINVAL);
	assert_int_equal(decode(STR("/AAA_A"), data, &size), -EINVAL);
}

/* Lines of every length, with every kind of white space, as `base64 -w LENGTH` writes them. */
TEST(white_space_is_passed_over)
{
	static const char *const spaces[] = {"\n", "\r\n", " ", "\t", "\f", " \n\n "};

	for (size_t i = 0; i < array_length(base64_vectors); i++) {
		struct str text = str_from(base64_vectors[i].text);

		for (size_t line = 1; line < 80; line++) {
			const char *space = spaces[(i + line) % array_length(spaces)];
			char wrapped[1500], hex[600];
			uint8_t data[300] = {0};
			size_t length = 0, size = 999;

			for (size_t at = 0; at < text.length; at++) {
				wrapped[length++] = text.data[at];
				if ((at + 1) % line == 0)
					for (const char *c = space; *c; c++)
						wrapped[length++] = *c;
			}
			assert_int_equal(decode((struct str){wrapped, length}, data, &size), 0);
			hex_encode(data, size, hex);
			assert_string_equal(hex, base64_vectors[i].hex);
			assert_int_equal(base64_significant((struct str){wrapped, length}),
					 text.length);
		}
	}
}

TEST(explanations_say_where)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
	    {"AAAA%AAA", "has \"%\" as character 5 of it"},
	    {"AA\nA\001", "has the byte 0x01 as character 5 of it"},
	    {"AAA+A/A-",
	     "mixes the standard and the URL-safe alphabet: \"-\" is character 8 of it"},
	    {"AA=A", "has padding in the wrong place, character 4 of it"},
	    {"=", "has padding in the wrong place, character 1 of it"},
	    {"AAAA=", "has padding in the wrong place, character 5 of it"},
	    {"AA===", "has padding in the wrong place, character 5 of it"},
	    {"AAAAA", "ends too soon, after 5 characters of it"},
	    {"AA=", "ends too soon, after 3 characters of it"},
	    {"AAB=", "ends too soon: its last character holds bits of a byte that does not follow"},
	};

	for (size_t i = 0; i < array_length(cases); i++) {
		char text[BASE64_EXPLANATION_BYTES];
		uint8_t data[16];
		size_t size;

		assert_int_equal(decode(str_from(cases[i].text), data, &size), -EINVAL);
		base64_explain(str_from(cases[i].text), text);
		assert_string_equal(text, cases[i].expected);
	}
}

TEST(nothing_is_nothing)
{
	uint8_t data[4];
	size_t size = 999;

	assert_int_equal(base64_decode((struct str){0}, data, &size), 0);
	assert_int_equal(size, 0);
}

TEST(white_space_in_front)
{
	assert_true(str_equal(base64_skip_space(STR(" \t\r\n\fa b ")), STR("a b ")));
	assert_true(str_equal(base64_skip_space(STR("\va")), STR("\va")));
	assert_int_equal(base64_skip_space(STR(" \n")).length, 0);
	assert_int_equal(base64_skip_space((struct str){0}).length, 0);
}

RUN_TESTS(NULL, NULL)

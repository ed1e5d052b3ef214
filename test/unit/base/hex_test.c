#include "../cmocka_test.h"
#include "base/hex.h"

TEST(every_byte_there_and_back)
{
	uint8_t all[256];
	uint8_t back[256];
	char text[513];

	for (int i = 0; i < 256; i++)
		all[i] = (uint8_t)i;
	hex_encode(all, sizeof(all), text);
	assert_int_equal(strlen(text), 512);
	assert_memory_equal(text, "000102", 6);
	assert_memory_equal(text + 506, "fdfeff", 6);
	assert_true(hex_decode(str_from(text), back, sizeof(back)));
	assert_memory_equal(all, back, sizeof(all));
	for (size_t i = 0; i < 512; i++) {
		if (text[i] >= 'a')
			text[i] = (char)(text[i] - 'a' + 'A');
	}
	memset(back, 0, sizeof(back));
	assert_true(hex_decode(str_from(text), back, sizeof(back)));
	assert_memory_equal(all, back, sizeof(all));
}

TEST(digits)
{
	static const char valid[] = "0123456789abcdefABCDEF";

	for (int c = -128; c < 128; c++) {
		const char *found = c ? strchr(valid, c) : NULL;
		int expected = !found		    ? -1
			       : found - valid < 16 ? (int)(found - valid)
						    : (int)(found - valid) - 6;

		assert_int_equal(hex_digit((char)c), expected);
	}
}

TEST(refusals_leave_the_output)
{
	uint8_t data[4] = "keep";

	assert_false(hex_decode(STR("0011223"), data, 4));
	assert_false(hex_decode(STR("001122334"), data, 4));
	assert_false(hex_decode(STR(""), data, 4));
	assert_false(hex_decode(STR("0011223g"), data, 4));
	assert_false(hex_decode(STR("x0112233"), data, 4));
	assert_false(hex_decode(STR("00 12233"), data, 4));
	assert_memory_equal(data, "keep", 4);
	assert_true(hex_decode((struct str){0}, data, 0));
}

TEST(each_character_at_each_place)
{
	for (unsigned i = 0; i < 12; i++) {
		for (int c = -128; c < 128; c++) {
			char text[] = "a5F0c3E19b7D";
			uint8_t data[6];

			text[i] = (char)c;
			assert_int_equal(hex_decode((struct str){text, 12}, data, 6),
					 hex_digit((char)c) >= 0);
			if (hex_digit((char)c) >= 0)
				assert_int_equal(i % 2 ? data[i / 2] & 15 : data[i / 2] >> 4,
						 hex_digit((char)c));
		}
	}
}

RUN_TESTS(NULL, NULL)

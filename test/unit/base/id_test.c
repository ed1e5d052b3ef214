#include "../cmocka_test.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/id_capitals.h"

#include <stdlib.h>

static int compare_ids(const void *a, const void *b)
{
	return memcmp(a, b, ID_BYTES);
}

TEST(new_ids_are_version_7)
{
	for (int i = 0; i < 1000; i++) {
		uint64_t before = (uint64_t)clock_wall_us() / 1000;
		struct id id = id_new();
		uint64_t after = (uint64_t)clock_wall_us() / 1000;
		uint64_t ms = 0;

		for (int j = 0; j < 6; j++)
			ms = ms << 8 | id.bytes[j];
		assert_in_range(ms, before, after);
		assert_int_equal(id.bytes[6] >> 4, 7);
		assert_int_equal(id.bytes[8] >> 6, 2);
	}
}

TEST(new_ids_differ)
{
	static struct id ids[20000];

	for (size_t i = 0; i < 20000; i++)
		ids[i] = id_new();
	qsort(ids, 20000, sizeof(ids[0]), compare_ids);
	for (size_t i = 1; i < 20000; i++)
		assert_false(id_equal(ids[i - 1], ids[i]));
}

TEST(text_there_and_back)
{
	struct id id;
	struct id upper;
	char text[ID_TEXT_LENGTH + 1];

	assert_true(id_parse(STR("0190163d-8694-739b-aea5-966c26f8ad91"), &id));
	assert_memory_equal(
	    id.bytes, "\x01\x90\x16\x3d\x86\x94\x73\x9b\xae\xa5\x96\x6c\x26\xf8\xad\x91", ID_BYTES);
	id_format(id, text);
	assert_string_equal(text, "0190163d-8694-739b-aea5-966c26f8ad91");
	assert_true(id_parse(STR("0190163D-8694-739B-AEA5-966C26F8AD91"), &upper));
	assert_true(id_equal(id, upper));
	for (int i = 0; i < 1000; i++) {
		id = id_new();
		id_format(id, text);
		assert_int_equal(strlen(text), ID_TEXT_LENGTH);
		assert_true(id_parse(str_from(text), &upper));
		assert_true(id_equal(id, upper));
	}
}

/* Tests every byte at every position: only digits, and dashes in their places, are accepted. */
TEST(capitals_of_a_uuid)
{
	assert_true(id_has_capitals(STR("0190163d-8694-739B-aea5-966c26f8ad91")));
	assert_true(id_has_capitals(STR("0190163D-8694-739B-AEA5-966C26F8AD91")));
	assert_false(id_has_capitals(STR("0190163d-8694-739b-aea5-966c26f8ad91")));
	assert_false(id_has_capitals(STR("01901634-8694-7394-0005-966026080091")));
	assert_false(id_has_capitals(STR("0190163D86947 39BAEA5966C26F8AD91")));
	assert_false(id_has_capitals(STR("Weather")));
	assert_false(id_has_capitals(STR("")));
}

TEST(other_forms_are_refused)
{
	static const char good[] = "0190163d-8694-739b-aea5-966c26f8ad91";
	struct id id = {.bytes = "untouched bytes"};
	const struct id before = id;

	for (size_t position = 0; position < ID_TEXT_LENGTH; position++) {
		for (int c = 0; c < 256; c++) {
			char text[ID_TEXT_LENGTH];
			bool is_digit = c && strchr("0123456789abcdefABCDEF", c);
			bool expected = good[position] == '-' ? c == '-' : is_digit;

			memcpy(text, good, sizeof(text));
			text[position] = (char)c;
			assert_int_equal(id_parse((struct str){text, sizeof(text)}, &id), expected);
			if (!expected)
				assert_true(id_equal(id, before));
			id = before;
		}
	}
	for (size_t length = 0; length < ID_TEXT_LENGTH; length++)
		assert_false(id_parse((struct str){good, length}, &id));
	assert_false(id_parse(STR("0190163d-8694-739b-aea5-966c26f8ad911"), &id));
	assert_false(id_parse(STR("0190163d8694739baea5966c26f8ad91"), &id));
}

RUN_TESTS(NULL, NULL)

#include "../cmocka_test.h"
#include "base/hex.h"
#include "base/memory.h"
#include "domain/api_key.h"
#include "domain/key.h"

/* Computed by Python: zlib.crc32() of the first 34 characters, in base62. */
static const char known_key[] = "ddk_0aZ90aZ90aZ90aZ90aZ90aZ90aZ9Qq397Wkl";
static const char known_hash[] = "b2f6f9482836d5c2dd41a6dd1568493e6d3ca2008704bd4472893974afa2f8bc";

TEST(known_key_is_well_formed)
{
	uint8_t hash[KEY_HASH_BYTES];
	char hex[2 * KEY_HASH_BYTES + 1];

	assert_int_equal(strlen(known_key), API_KEY_LENGTH);
	assert_true(api_key_is_well_formed(str_from(known_key)));
	key_hash(str_from(known_key), hash);
	hex_encode(hash, sizeof(hash), hex);
	assert_string_equal(hex, known_hash);
}

/* A CRC finds every change of a single byte. */
TEST(every_changed_byte_is_refused)
{
	for (size_t position = 0; position < API_KEY_LENGTH; position++) {
		for (int c = 0; c < 256; c++) {
			char key[API_KEY_LENGTH];

			memcpy(key, known_key, sizeof(key));
			key[position] = (char)c;
			assert_int_equal(api_key_is_well_formed((struct str){key, sizeof(key)}),
					 key[position] == known_key[position]);
		}
	}
}

TEST(other_lengths_are_refused)
{
	char longer[API_KEY_LENGTH + 2];

	for (size_t length = 0; length < API_KEY_LENGTH; length++)
		assert_false(api_key_is_well_formed((struct str){known_key, length}));
	memcpy(longer, known_key, API_KEY_LENGTH);
	longer[API_KEY_LENGTH] = 'l';
	assert_false(api_key_is_well_formed((struct str){longer, API_KEY_LENGTH + 1}));
	longer[API_KEY_LENGTH] = '\0';
	assert_false(api_key_is_well_formed((struct str){longer, API_KEY_LENGTH + 1}));
	assert_false(api_key_is_well_formed((struct str){0}));
}

TEST(new_keys_are_well_formed_and_differ)
{
	char keys[200][API_KEY_LENGTH + 1];

	for (size_t i = 0; i < array_length(keys); i++) {
		api_key_new(keys[i]);
		assert_int_equal(strlen(keys[i]), API_KEY_LENGTH);
		assert_true(api_key_is_well_formed(str_from(keys[i])));
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(keys[i], keys[j]);
	}
}

/* 100,000 characters: each of the 62 is expected 1,613 times. A deviation of 300 is more than
 * seven standard deviations; a modulo of a random byte would deviate by 400 for eight of them. */
TEST(characters_are_even)
{
	unsigned counts[256] = {0};
	char key[LINK_KEY_LENGTH + 1];
	unsigned seen = 0;

	for (int i = 0; i < 100000 / LINK_KEY_LENGTH; i++) {
		link_key_new(key);
		for (size_t j = 0; j < LINK_KEY_LENGTH; j++)
			counts[(unsigned char)key[j]]++;
	}
	for (size_t c = 0; c < array_length(counts); c++) {
		if (counts[c] == 0)
			continue;
		seen++;
		assert_in_range(counts[c], 1613 - 300, 1613 + 300);
	}
	assert_int_equal(seen, 62);
}

TEST(link_keys)
{
	char key[LINK_KEY_LENGTH + 1];

	for (int i = 0; i < 100; i++) {
		link_key_new(key);
		assert_int_equal(strlen(key), LINK_KEY_LENGTH);
		assert_true(link_key_is_well_formed(str_from(key)));
	}
	assert_false(link_key_is_well_formed(str_from(key + 1)));
	assert_false(link_key_is_well_formed(STR("")));
	assert_false(link_key_is_well_formed(str_from(known_key)));
	for (int c = 0; c < 256; c++) {
		bool is_base62 =
		    (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');

		key[7] = (char)c;
		assert_int_equal(link_key_is_well_formed((struct str){key, LINK_KEY_LENGTH}),
				 is_base62);
	}
}

/* Compares each list of up to 5 devices with a check of all of them. */
TEST(devices_of_a_scope)
{
	struct id ids[5];

	for (unsigned i = 0; i < array_length(ids); i++)
		ids[i] = (struct id){.bytes = {(uint8_t)(2 * i), 0xff}};
	for (unsigned count = 0; count <= array_length(ids); count++) {
		const struct key_scope scope = {.devices = {(const char *)ids, count * ID_BYTES}};

		for (unsigned first = 0; first < 12; first++) {
			struct id device = {.bytes = {(uint8_t)first, 0xff}};
			bool is_listed = first % 2 == 0 && first / 2 < count;

			assert_int_equal(key_scope_has_device(&scope, device),
					 count == 0 || is_listed);
		}
	}
}

TEST(scopes_have_names)
{
	enum key_level level;

	for (level = KEY_LEVEL_PUSH; level <= KEY_LEVEL_ALL; level++) {
		enum key_level found;

		assert_true(key_level_parse(key_level_name(level), &found));
		assert_int_equal(found, level);
	}
	assert_false(key_level_parse(STR(""), &level));
	assert_false(key_level_parse(STR("pus"), &level));
	assert_false(key_level_parse(STR("ALL"), &level));
	assert_non_null(key_scope_check(STR("everything")));
}

RUN_TESTS(NULL, NULL)

#include "../cmocka_test.h"

#include "task/key_hashes.h"

#include <string.h>

enum { KEYS = 20000, KEY_BYTES = 80 };

/* More keys than slots in the table, in two orders: each result is the key's own hash. */
TEST(test_many_keys)
{
	uint8_t hash[KEY_HASH_BYTES], expected[KEY_HASH_BYTES];
	char key[KEY_BYTES];

	for (unsigned i = 0; i < 2 * KEYS; i++) {
		unsigned number = i < KEYS ? i : i % 3 ? i - KEYS : KEYS - i % 100;
		int length = snprintf(key, sizeof(key), "ddk_%u", number);
		struct str text = {key, (size_t)length};

		key_hash(text, expected);
		key_hash_again(text, hash);
		assert_memory_equal(hash, expected, KEY_HASH_BYTES);
		key_hash_again(text, hash);
		assert_memory_equal(hash, expected, KEY_HASH_BYTES);
	}
}

/* Two keys, one a prefix of the other, and an empty key. */
TEST(test_lengths)
{
	static const char text[] =
	    "ddk_0123456789012345678901234567890123456789012345678901234567890123";
	uint8_t hash[KEY_HASH_BYTES], expected[KEY_HASH_BYTES];

	for (size_t length = 0; length < sizeof(text); length++) {
		key_hash((struct str){text, length}, expected);
		key_hash_again((struct str){text, length}, hash);
		assert_memory_equal(hash, expected, KEY_HASH_BYTES);
	}
}

RUN_TESTS(NULL, NULL)

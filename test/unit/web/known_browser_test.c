/* The cookie of a browser in which somebody has signed in. */
#include "../cmocka_test.h"
#include "base/limits.h"
#include "web/people/known_browser.h"

#include <sodium.h>

static const int64_t now_s = INT64_C(1795176000);
static const struct id id = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};

static struct settings_key key;
static char text[KNOWN_BROWSER_LENGTH + 1];

static int make(void **state)
{
	(void)state;
	if (sodium_init() < 0)
		return -1;
	randombytes_buf(key.bytes, sizeof(key.bytes));
	known_browser_write(&key, now_s, id, text);
	return 0;
}

static bool is_known(int64_t at_s)
{
	struct id found = {0};
	bool is = known_browser_read(&key, at_s, str_from(text), &found);

	assert_true(!is || id_equal(found, id));
	return is;
}

TEST_IN(what_was_written_is_read, make, NULL)
{
	assert_int_equal(strlen(text), KNOWN_BROWSER_LENGTH);
	assert_true(is_known(now_s));
	/* Clocks of instances may differ. */
	assert_true(is_known(now_s - 3600));
}

TEST_IN(it_ends_after_a_while, make, NULL)
{
	const int64_t day_s = 24 * 3600;

	assert_true(is_known(now_s + LIMIT_KNOWN_BROWSER_S - day_s));
	assert_false(is_known(now_s + LIMIT_KNOWN_BROWSER_S));
}

TEST_IN(each_character_counts, make, NULL)
{
	for (size_t i = 0; i < KNOWN_BROWSER_LENGTH; i++) {
		char before = text[i];

		text[i] = before == 'A' ? 'B' : 'A';
		assert_false(is_known(now_s));
		text[i] = '=';
		assert_false(is_known(now_s));
		text[i] = before;
	}
	text[KNOWN_BROWSER_LENGTH - 1] = '\0';
	assert_false(is_known(now_s));
	text[0] = '\0';
	assert_false(is_known(now_s));
}

TEST_IN(another_key_knows_it_not, make, NULL)
{
	key.bytes[31] ^= 1;
	assert_false(is_known(now_s));
}

/* Each purpose has its own derived key. */
TEST_IN(its_code_is_made_with_a_key_of_its_own, make, NULL)
{
	uint8_t bytes[36], code[16];
	size_t size;

	assert_int_equal(sodium_base642bin(bytes, sizeof(bytes), text, KNOWN_BROWSER_LENGTH, NULL,
					   &size, NULL, sodium_base64_VARIANT_URLSAFE_NO_PADDING),
			 0);
	crypto_generichash(code, sizeof(code), bytes, 20, key.bytes, sizeof(key.bytes));
	assert_memory_not_equal(code, bytes + 20, sizeof(code));
	assert_memory_equal(bytes + 4, id.bytes, sizeof(id.bytes));
}

RUN_TESTS(NULL, NULL)

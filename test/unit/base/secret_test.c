/* What has the form of a key is masked, and nothing else. */
#include "../cmocka_test.h"
#include "base/memory.h"
#include "base/secret.h"

#include <stdio.h>
#include <stdlib.h>

#define DEVICE_KEY "KbcXWRqQpy9BDx757jOPKVzF"

static void assert_masked(const char *text, const char *expected)
{
	struct str input = str_from(text);
	char *output = memory_alloc(input.length);

	memcpy(output, input.data, input.length);
	assert_int_equal(secret_mask(input, output), strcmp(text, expected) != 0);
	if (!str_equal((struct str){output, input.length}, str_from(expected)))
		fail_msg("%s: %.*s", text, (int)input.length, output);
	free(output);
}

static void api_keys(void **state)
{
	(void)state;
	assert_masked("ddk_0123456789abcdefghijABCDEFGHIJ012345",
		      "ddk_************************************");
	assert_masked("/v1/devices/ddk_01234567/push", "/v1/devices/ddk_********/push");
	assert_masked("Bearer%20ddk_01234567,x", "Bearer%20ddk_********,x");
	assert_masked("xddk_01234567", "xddk_********");
	assert_masked("ddk_ddk_0123456789", "ddk_ddk_**********");
	assert_masked("ddk_0123456", "ddk_0123456");
	assert_masked("ddk_", "ddk_");
	assert_masked("dk_0123456789", "dk_0123456789");
	assert_masked("_0123456789", "_0123456789");
	assert_masked("ddk-0123456789", "ddk-0123456789");
}

static void device_keys(void **state)
{
	(void)state;
	assert_masked("/d/0198f6a2-7c1e-7d3a-9b54-2f60c1d8e4aa/KbcXWRqQpy9BDx757jOPKVzF",
		      "/d/0198f6a2-7c1e-7d3a-9b54-2f60c1d8e4aa/************************");
	assert_masked("a%2FKbcXWRqQpy9BDx757jOPKVzF", "a%2F************************");
	assert_masked("key=KbcXWRqQpy9BDx757jOPKVzF&x", "key=************************&x");
	/* Longer, shorter, of one case. */
	assert_masked("KbcXWRqQpy9BDx757jOPKVzF1", "KbcXWRqQpy9BDx757jOPKVzF1");
	assert_masked("KbcXWRqQpy9BDx757jOPKVz", "KbcXWRqQpy9BDx757jOPKVz");
	assert_masked("0123456789abcdef01234567", "0123456789abcdef01234567");
	assert_masked("0123456789ABCDEF01234567", "0123456789ABCDEF01234567");
}

static void percent_encoded(void **state)
{
	(void)state;
	assert_masked("/%64dk_01234567", "/%64dk_********");
	assert_masked("/ddk%5F01234567/x", "/ddk%5F********/x");
	assert_masked("/%64%64%6b%5f%30%31234567", "/%64%64%6b%5f************");
	assert_masked("/d/KbcXWRqQpy9BDx757jOPKVz%46/ws", "/d/**************************/ws");
	/* Read as it stands, this is one, too. */
	assert_masked("%41KbcXWRqQpy9BDx757jOPKVzF", "%41************************");
	assert_masked("/ddk%2F01234567", "/ddk%2F01234567");
	assert_masked("/ddk%5", "/ddk%5");
	assert_masked("100%_Kbc", "100%_Kbc");
}

/* Wherever the key stands, and whatever stands before and behind it. */
static void device_keys_at_all_places(void **state)
{
	static const char *const fronts[] = {"", "/", "abc/", "%2F", "\xc3\xbc/"};
	static const char *const backs[] = {"", "/", "%2F", "/abcdefgh0123", "_x"};
	char text[256], expected[256];

	(void)state;
	for (int words = 0; words < 60; words++) {
		for (size_t i = 0; i < 5 * 5; i++) {
			static const char words_text[] =
			    "Kitchen-2026/0198f6a27c1e7d3a9b542f60c1d8e4aa:abcdefghijklm-nopqr?";
			const char *front = fronts[i / 5], *back = backs[i % 5];

			snprintf(text, sizeof(text), "%.*s-%s" DEVICE_KEY "%s", words, words_text,
				 front, back);
			snprintf(expected, sizeof(expected), "%.*s-%s%s%s", words, words_text,
				 front, "************************", back);
			assert_masked(text, expected);
		}
	}
}

static void assert_cut(const char *text, size_t max, const char *expected)
{
	struct str whole = str_from(text);

	assert_int_equal(secret_cut(whole, max), strlen(expected));
}

static void no_front_of_a_key_is_left(void **state)
{
	(void)state;
	for (size_t max = 3; max < 3 + strlen(DEVICE_KEY); max++)
		assert_cut("/d/" DEVICE_KEY, max, "/d/");
	assert_cut("/d/" DEVICE_KEY, 27, "/d/" DEVICE_KEY);
	assert_cut("/d/" DEVICE_KEY "/ws", 28, "/d/" DEVICE_KEY "/");
	for (size_t max = 5; max < 41; max++)
		assert_cut("/ddk_0123456789abcdefghijABCDEFGHIJ012345", max, "/ddk_");
	for (size_t max = 5; max < 20; max++)
		assert_cut("/ddk_%30123456%37abcdef", max, "/ddk_");
	/* No longer run is a key, and something of it is kept. */
	assert_cut("0123456789abcdefghijABCDEFGHIJ0123456789", 39, "012");
	assert_cut("abc", 2, "");
}

static void other_texts(void **state)
{
	(void)state;
	assert_masked("", "");
	assert_masked("%", "%");
	assert_masked("%2", "%2");
	assert_masked("K\xc3\xbc"
		      "che at home, 24 letters",
		      "K\xc3\xbc"
		      "che at home, 24 letters");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(api_keys),
	    cmocka_unit_test(device_keys),
	    cmocka_unit_test(percent_encoded),
	    cmocka_unit_test(device_keys_at_all_places),
	    cmocka_unit_test(no_front_of_a_key_is_left),
	    cmocka_unit_test(other_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

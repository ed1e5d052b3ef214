/* Checks that texts with the form of a key are masked, and nothing else is. */
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

TEST(api_keys)
{
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

TEST(device_keys)
{
	assert_masked("/d/0198f6a2-7c1e-7d3a-9b54-2f60c1d8e4aa/KbcXWRqQpy9BDx757jOPKVzF",
		      "/d/0198f6a2-7c1e-7d3a-9b54-2f60c1d8e4aa/************************");
	assert_masked("a%2FKbcXWRqQpy9BDx757jOPKVzF", "a%2F************************");
	assert_masked("key=KbcXWRqQpy9BDx757jOPKVzF&x", "key=************************&x");
	/* Shorter, of one case. */
	assert_masked("KbcXWRqQpy9BDx757jOPKVz", "KbcXWRqQpy9BDx757jOPKVz");
	assert_masked("0123456789abcdef01234567", "0123456789abcdef01234567");
	assert_masked("0123456789ABCDEF01234567", "0123456789ABCDEF01234567");
}

TEST(percent_encoded)
{
	assert_masked("/%64dk_01234567", "/%64dk_********");
	assert_masked("/ddk%5F01234567/x", "/ddk%5F********/x");
	assert_masked("/%64%64%6b%5f%30%31234567", "/%64%64%6b%5f************");
	assert_masked("/d/KbcXWRqQpy9BDx757jOPKVz%46/ws", "/d/**************************/ws");
	assert_masked("%41KbcXWRqQpy9BDx757jOPKVzF", "***************************");
	assert_masked("/ddk%2F01234567", "/ddk%2F01234567");
	assert_masked("/ddk%5", "/ddk%5");
	assert_masked("100%_Kbc", "100%_Kbc");
}

/* Bytes after a "%" belong to a key, whether or not they encode something. */
TEST(stray_percent_signs)
{
	assert_masked("/%ddk_0123456789", "/%ddk_**********");
	assert_masked("/%4ddk_0123456789", "/%4ddk_**********");
	assert_masked("/%%ddk_0123456789", "/%%ddk_**********");
	assert_masked("/d%dk_0123456789", "/d%dk_**********");
	assert_masked("/ddk%_0123456789", "/ddk%_**********");
	assert_masked("/ddk_0123%456%x789", "/ddk_*************");
	assert_masked("/ddk_0123%z456x789", "/ddk_*************");
	assert_masked("/%" DEVICE_KEY, "/%************************");
	assert_masked("/%abcXWRqQpy9BDx757jOPKVzF", "/%************************");
	assert_masked("/%abcdXWRqQpy9BDx757jOPKVz", "/%************************");
	assert_masked("/%2" DEVICE_KEY, "/%*************************");
	assert_masked("/%2abcdXWRqQpy9BDx757jOPKVz", "/%*************************");
	assert_masked("/KbcXWRqQ%py9BDx757jOPKVzF/", "/*************************/");
	assert_masked("/" DEVICE_KEY "%", "/*************************");
	assert_masked("/" DEVICE_KEY "%2", "/**************************");
}

/* A URL within a URL is encoded twice, or more often. */
TEST(encoded_twice)
{
	assert_masked("/x/https%253A%252F%252Fh%253Fkey%253D" DEVICE_KEY "%2526a",
		      "/x/https%253A%252F%252Fh%253Fkey%253D************************%2526a");
	assert_masked("/Bearer%2520" DEVICE_KEY, "/Bearer%2520************************");
	assert_masked("/%2522" DEVICE_KEY "%2522", "/%2522************************%2522");
	assert_masked("/%25252522" DEVICE_KEY, "/%25252522************************");
	assert_masked("/ddk%255F01234567/x", "/ddk%255F********/x");
	assert_masked("/%2564dk%25255f%2530%25311234567", "/%2564dk%25255f*****************");
	assert_masked("/d/KbcXWRqQpy9BDx757jOPKVz%2546", "/d/****************************");
	assert_masked("/%25" DEVICE_KEY, "/%25************************");
	/* A key may begin with what looks encoded. */
	assert_masked("/%25abcdXWRqQpy9BDx757jOPKVz", "/%**************************");
	assert_masked("/%2525", "/%2525");
	assert_masked("/%25252", "/%25252");
	assert_masked("/100%25/ddk_x", "/100%25/ddk_x");
}

/* Device keys have no mark, so adjoining characters are masked with them. */
TEST(glued)
{
	assert_masked("/x" DEVICE_KEY, "/*************************");
	assert_masked("/" DEVICE_KEY "x/", "/*************************/");
	assert_masked("id" DEVICE_KEY, "**************************");
	assert_masked("v" DEVICE_KEY, "*************************");
	assert_masked("version2" DEVICE_KEY, "********************************");
	assert_masked("a_" DEVICE_KEY "%41", "a_***************************");
}

/* Checks that texts an operator looks for in the log stay readable. */
TEST(readable)
{
	static const char *const texts[] = {
	    "http://a/link#qLw8Xn3ZbT0vKc5RfYh2JmPs7Ad9Ge1Uo4Ni6WkQxBz",
	    "0198f6a2-7c1e-7d3a-9b54-2f60c1d8e4aa",
	    "0198F6A2-7C1E-7D3A-9B54-2F60C1D8E4AA",
	    "Root=1-67891233-abcdef012345678912345678",
	    "4bf92f3577b34da6a3ce929d0e0e4736",
	    "Req0198f6a27c1e7d3a9b542f60c1d8e4aa",
	    "01ARZ3NDEKTSV4RRFFQ69G5FAVXYZ",
	    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
	    "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855",
	    "v1.6.6-rc.1+build.20261120T081530Z",
	    "Tronbyt-Gen2-v1.6.6-14-gABCdef0",
	    "waits for ShareUpdateExclusiveLock on relation 16384",
	    "UnhandledPromiseRejectionWarning: calculateNextDepartureOfAllStations",
	    "donaudampfschiffahrtsgesellschaftsKapitaen2",
	    "/v1/devices/My%20Kitchen%20Display%20Number%207%20Above%20The%20Stove/push",
	    "/K%C3%BCche%2FFlur%2FBad%2FWohnzimmer%2FKeller/Z%C3%BCrich%20Hauptbahnhof",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_masked(texts[i], texts[i]);
}

/* The time is linear: if it grew with the square of the length, each of these lines would take
 * minutes. */
TEST(long_lines)
{
	static const char *const pieces[] = {"%",   "%25",  "25",    "a%",     "aB1%",	 "%2525",
					     "aB1", "ddk_", "ddk_%", "%4ddk_", "a%2525", "_"};
	enum { BYTES = 512 * 1024 };
	char *text = memory_alloc(BYTES), *masked = memory_alloc(BYTES);

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		size_t length = strlen(pieces[i]);

		for (size_t at = 0; at < BYTES; at++)
			text[at] = pieces[i][at % length];
		secret_mask((struct str){text, BYTES}, masked);
		memcpy(text, "%", 1);
		secret_mask((struct str){text, BYTES}, masked);
	}
	free(text);
	free(masked);
}

/* Tests a key at every position, with any text before and after it. */
TEST(device_keys_at_all_places)
{
	static const char *const fronts[] = {"", "/", "abc/", "%2F", "\xc3\xbc/"};
	static const char *const backs[] = {"", "/", "%2F", "/abcdefgh0123", "_x"};
	char text[256], expected[256];

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

TEST(no_front_of_a_key_is_left)
{
	for (size_t max = 3; max < 3 + strlen(DEVICE_KEY); max++)
		assert_cut("/d/" DEVICE_KEY, max, "/d/");
	assert_cut("/d/" DEVICE_KEY, 27, "/d/" DEVICE_KEY);
	assert_cut("/d/" DEVICE_KEY "/ws", 28, "/d/" DEVICE_KEY "/");
	for (size_t max = 5; max < 41; max++)
		assert_cut("/ddk_0123456789abcdefghijABCDEFGHIJ012345", max, "/ddk_");
	for (size_t max = 5; max < 20; max++)
		assert_cut("/ddk_%30123456%37abcdef", max, "/ddk_");
	for (size_t max = 5; max < 27; max++)
		assert_cut("/ddk_%2530123456%2537abcdef", max, "/ddk_");
	/* A key is not longer, and part of it is kept. */
	assert_cut("0123456789abcdefghijABCDEFGHIJ0123456789", 39, "012");
	assert_cut("abc", 2, "");
}

TEST(other_texts)
{
	assert_masked("", "");
	assert_masked("%", "%");
	assert_masked("%2", "%2");
	assert_masked("K\xc3\xbc"
		      "che at home, 24 letters",
		      "K\xc3\xbc"
		      "che at home, 24 letters");
}

RUN_TESTS(NULL, NULL)

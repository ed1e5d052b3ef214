#include "../cmocka_test.h"
#include "base/hex.h"
#include "base/memory.h"
#include "http/sha1.h"
#include "http/websocket_private.h"

/* FIPS 180 examples, and lengths around the padding. */
static void digests(void **state)
{
	static const struct {
		const char *text;
		const char *hex;
	} cases[] = {
	    {"", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
	    {"abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
	    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	     "84983e441c3bd26ebaae4aa1f95129e5e54670f1"},
	    {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	     "c1c8bbdc22796e28c0e15163d20899b65621d65a"},
	    {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	     "0098ba824b5c16427bd7a1122a5a442a25ec644d"},
	};

	(void)state;
	for (size_t i = 0; i < array_length(cases); i++) {
		struct str whole = str_from(cases[i].text);
		uint8_t digest[SHA1_BYTES];
		char hex[2 * SHA1_BYTES + 1];

		for (size_t cut = 0; cut <= whole.length; cut++) {
			const struct str parts[] = {{whole.data, cut}, str_from_offset(whole, cut)};

			sha1(parts, 2, digest);
			hex_encode(digest, sizeof(digest), hex);
			assert_string_equal(hex, cases[i].hex);
		}
	}
}

/* The example of RFC 6455 section 1.3. */
static void accept_key(void **state)
{
	char text[WEBSOCKET_ACCEPT_LENGTH + 1];

	(void)state;
	websocket_accept_key(STR("dGhlIHNhbXBsZSBub25jZQ=="), text);
	assert_string_equal(text, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

static void headers(void **state)
{
	static const struct {
		uint64_t length;
		const char *hex;
	} cases[] = {
	    {0, "8200"},
	    {125, "827d"},
	    {126, "827e007e"},
	    {0xffff, "827effff"},
	    {0x10000, "827f0000000000010000"},
	    {0x0123456789abcdef, "827f0123456789abcdef"},
	};

	(void)state;
	for (size_t i = 0; i < array_length(cases); i++) {
		uint8_t header[WEBSOCKET_HEADER_BYTES_MAX];
		char hex[2 * WEBSOCKET_HEADER_BYTES_MAX + 1];

		hex_encode(header,
			   websocket_frame_header(WEBSOCKET_BINARY, cases[i].length, header), hex);
		assert_string_equal(hex, cases[i].hex);
	}
}

static void token_lists(void **state)
{
	(void)state;
	assert_true(token_list_has(STR("upgrade"), STR("Upgrade")));
	assert_true(token_list_has(STR("a, \tUPGRADE , b"), STR("upgrade")));
	assert_true(token_list_has(STR(",,upgrade"), STR("upgrade")));
	assert_false(token_list_has(STR(""), STR("upgrade")));
	assert_false(token_list_has(STR("upgrades, a upgrade"), STR("upgrade")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(digests),
	    cmocka_unit_test(accept_key),
	    cmocka_unit_test(headers),
	    cmocka_unit_test(token_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

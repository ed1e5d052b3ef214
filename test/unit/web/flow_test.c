/* The cookie of a sign-in by an issuer, and what is derived from it. */
#include "../cmocka_test.h"
#include "web/identity/flow.h"

#include <sodium.h>
#include <string.h>

static const int64_t now_s = INT64_C(1795176000);

static struct settings_key key;
static struct flow flow;
static char text[FLOW_LENGTH + 1];

static int make(void **state)
{
	(void)state;
	if (sodium_init() < 0)
		return -1;
	randombytes_buf(key.bytes, sizeof(key.bytes));
	flow = (struct flow){.began_s = now_s, .stays_signed_in = true, .session = {{7}}};
	randombytes_buf(flow.secret, sizeof(flow.secret));
	flow_write(&key, &flow, text);
	return 0;
}

static bool is_read(int64_t at_s)
{
	struct flow found;

	return flow_read(&key, at_s, str_from(text), &found);
}

TEST_IN(what_was_written_is_read, make, NULL)
{
	struct flow found;

	assert_int_equal(strlen(text), FLOW_LENGTH);
	assert_true(flow_read(&key, now_s, str_from(text), &found));
	assert_int_equal(found.began_s, now_s);
	assert_true(found.stays_signed_in);
	assert_true(id_equal(found.session, flow.session));
	assert_memory_equal(found.secret, flow.secret, FLOW_SECRET_BYTES);
}

TEST_IN(it_ends_after_a_while, make, NULL)
{
	assert_true(is_read(now_s + FLOW_LIFE_S));
	assert_false(is_read(now_s + FLOW_LIFE_S + 1));
	/* Clocks of instances may differ, but not for long. */
	assert_true(is_read(now_s - FLOW_LIFE_S));
	assert_false(is_read(now_s - FLOW_LIFE_S - 1));
}

TEST_IN(each_character_counts, make, NULL)
{
	for (size_t i = 0; i < FLOW_LENGTH; i++) {
		char before = text[i];

		text[i] = before == 'A' ? 'B' : 'A';
		assert_false(is_read(now_s));
		text[i] = '=';
		assert_false(is_read(now_s));
		text[i] = before;
	}
	key.bytes[0] ^= 1;
	assert_false(is_read(now_s));
}

TEST_IN(a_state_is_of_one_flow, make, NULL)
{
	char state_text[FLOW_TEXT_LENGTH + 1], other[FLOW_TEXT_LENGTH + 1];

	flow_text(&flow, FLOW_STATE, state_text);
	assert_true(flow_has_state(&flow, str_from(state_text)));
	assert_false(flow_has_state(&flow, (struct str){state_text, FLOW_TEXT_LENGTH - 1}));
	assert_false(flow_has_state(&flow, (struct str){0}));
	flow_text(&flow, FLOW_NONCE, other);
	assert_false(flow_has_state(&flow, str_from(other)));
	flow.secret[FLOW_SECRET_BYTES - 1] ^= 1;
	assert_false(flow_has_state(&flow, str_from(state_text)));
}

/* RFC 7636, S256. */
TEST_IN(the_challenge_is_a_hash_of_the_verifier, make, NULL)
{
	char verifier[FLOW_TEXT_LENGTH + 1], challenge[FLOW_TEXT_LENGTH + 1];
	uint8_t hash[crypto_hash_sha256_BYTES], found[crypto_hash_sha256_BYTES];
	size_t size;

	flow_text(&flow, FLOW_VERIFIER, verifier);
	flow_challenge(&flow, challenge);
	crypto_hash_sha256(hash, (const uint8_t *)verifier, FLOW_TEXT_LENGTH);
	assert_int_equal(sodium_base642bin(found, sizeof(found), challenge, FLOW_TEXT_LENGTH, NULL,
					   &size, NULL, sodium_base64_VARIANT_URLSAFE_NO_PADDING),
			 0);
	assert_memory_equal(hash, found, sizeof(hash));
}

RUN_TESTS(NULL, NULL)

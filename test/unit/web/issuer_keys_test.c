/* Keys of an issuer, and signatures by them. */
#include "../cmocka_test.h"
#include "web/identity/issuer_keys.h"

#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MAX = 1400, HALF = 32 };

static const struct str signed_text = STR("header.claims");
static struct issuer_keys keys;

static const char *encode(const uint8_t *bytes, size_t size, char ret_text[static TEXT_MAX])
{
	return sodium_bin2base64(ret_text, TEXT_MAX, bytes, size,
				 sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

static const char *encode_number(const EVP_PKEY *key, const char *name, size_t size,
				 char ret_text[static TEXT_MAX])
{
	BIGNUM *number = NULL;
	uint8_t bytes[ISSUER_KEY_BYTES_MAX];

	assert_true(EVP_PKEY_get_bn_param(key, name, &number) &&
		    BN_bn2binpad(number, bytes, (int)size) == (int)size);
	BN_free(number);
	return encode(bytes, size, ret_text);
}

/* Returns how many keys of a set were taken. */
static unsigned read_set(const char *members)
{
	static char json[64 * 1024];

	snprintf(json, sizeof(json), "{\"keys\": [%s]}", members);
	assert_true(issuer_keys_read(str_from(json), &keys));
	return keys.count;
}

static size_t sign(EVP_PKEY *key, uint8_t *ret_bytes, size_t max)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();

	assert_true(EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
		    EVP_DigestSign(context, ret_bytes, &max, (const uint8_t *)signed_text.data,
				   signed_text.length) == 1);
	EVP_MD_CTX_free(context);
	return max;
}

/* Each changed byte, and another length, make it wrong. */
static void assert_signature(uint8_t *bytes, size_t size)
{
	const struct issuer_key *key = &keys.keys[0];

	assert_true(issuer_key_verifies(key, signed_text, (struct str){(char *)bytes, size}));
	assert_false(
	    issuer_key_verifies(key, STR("header.claimz"), (struct str){(char *)bytes, size}));
	assert_false(issuer_key_verifies(key, signed_text, (struct str){(char *)bytes, size - 1}));
	assert_false(issuer_key_verifies(key, signed_text, (struct str){(char *)bytes, 0}));
	for (size_t i = 0; i < size; i += 7) {
		bytes[i] ^= 1;
		assert_false(
		    issuer_key_verifies(key, signed_text, (struct str){(char *)bytes, size}));
		bytes[i] ^= 1;
	}
}

TEST(rsa)
{
	EVP_PKEY *made = EVP_RSA_gen(2048);
	char modulus[TEXT_MAX], json[2 * TEXT_MAX];
	uint8_t signature[ISSUER_KEY_BYTES_MAX];
	static const char *const odd[] = {"AQ", "AAAB", "AAAAAQ", "Ag",
					  "AA", "",	"AQAA",	  "AAAAAAAB"};

	encode_number(made, OSSL_PKEY_PARAM_RSA_N, 256, modulus);
	snprintf(json, sizeof(json), "{\"kty\": \"RSA\", \"n\": \"%s\", \"e\": \"AQAB\"}", modulus);
	assert_int_equal(read_set(json), 1);
	assert_signature(signature, sign(made, signature, sizeof(signature)));
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		snprintf(json, sizeof(json), "{\"kty\": \"RSA\", \"n\": \"%s\", \"e\": \"%s\"}",
			 modulus, odd[i]);
		assert_int_equal(read_set(json), 0);
	}
	EVP_PKEY_free(made);
}

/* The size is that of the number, not of its text. */
TEST(sizes_of_rsa)
{
	uint8_t modulus[ISSUER_KEY_BYTES_MAX + 1];
	char text[TEXT_MAX], json[2 * TEXT_MAX];
	static const struct {
		size_t size;
		uint8_t first;
		unsigned count;
	} cases[] = {{128, 0xff, 0}, {255, 0xff, 0}, {256, 0x7f, 0}, {256, 0x80, 1},
		     {257, 0, 0},    {257, 1, 1},    {512, 0xff, 1}, {513, 1, 0}};

	memset(modulus, 0xff, sizeof(modulus));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		modulus[0] = cases[i].first;
		snprintf(json, sizeof(json), "{\"kty\": \"RSA\", \"n\": \"%s\", \"e\": \"Aw\"}",
			 encode(modulus, cases[i].size, text));
		assert_int_equal(read_set(json), cases[i].count);
	}
}

TEST(points)
{
	EVP_PKEY *made = EVP_EC_gen("P-256");
	char x[TEXT_MAX], y[TEXT_MAX], json[3 * TEXT_MAX];
	uint8_t der[200], signature[2 * HALF] = {0};
	const uint8_t *at = der;
	ECDSA_SIG *numbers;

	encode_number(made, OSSL_PKEY_PARAM_EC_PUB_X, HALF, x);
	encode_number(made, OSSL_PKEY_PARAM_EC_PUB_Y, HALF, y);
	snprintf(json, sizeof(json),
		 "{\"kty\": \"EC\", \"crv\": \"P-256\", \"x\": \"%s\", \"y\": \"%s\"}", x, y);
	assert_int_equal(read_set(json), 1);
	/* Zeros are a signature of nothing. */
	assert_false(issuer_key_verifies(&keys.keys[0], signed_text,
					 (struct str){(char *)signature, sizeof(signature)}));
	numbers = d2i_ECDSA_SIG(NULL, &at, (long)sign(made, der, sizeof(der)));
	BN_bn2binpad(ECDSA_SIG_get0_r(numbers), signature, HALF);
	BN_bn2binpad(ECDSA_SIG_get0_s(numbers), signature + HALF, HALF);
	assert_signature(signature, sizeof(signature));
	/* A point beside the curve verifies nothing. */
	snprintf(json, sizeof(json),
		 "{\"kty\": \"EC\", \"crv\": \"P-256\", \"x\": \"%s\", \"y\": \"%s\"}", x, x);
	assert_int_equal(read_set(json), 1);
	assert_false(issuer_key_verifies(&keys.keys[0], signed_text,
					 (struct str){(char *)signature, sizeof(signature)}));
	ECDSA_SIG_free(numbers);
	EVP_PKEY_free(made);
}

TEST(ed25519)
{
	uint8_t public[crypto_sign_PUBLICKEYBYTES], secret[crypto_sign_SECRETKEYBYTES];
	uint8_t signature[crypto_sign_BYTES];
	char text[TEXT_MAX], json[2 * TEXT_MAX];

	crypto_sign_keypair(public, secret);
	crypto_sign_detached(signature, NULL, (const uint8_t *)signed_text.data, signed_text.length,
			     secret);
	snprintf(json, sizeof(json), "{\"kty\": \"OKP\", \"crv\": \"Ed25519\", \"x\": \"%s\"}",
		 encode(public, sizeof(public), text));
	assert_int_equal(read_set(json), 1);
	assert_signature(signature, sizeof(signature));
}

/* By a key of small order, one signature is right for any text. */
TEST(a_key_of_small_order_signs_nothing)
{
	uint8_t point[crypto_sign_PUBLICKEYBYTES] = {1}, signature[crypto_sign_BYTES] = {1};
	char text[TEXT_MAX], json[2 * TEXT_MAX];

	snprintf(json, sizeof(json), "{\"kty\": \"OKP\", \"crv\": \"Ed25519\", \"x\": \"%s\"}",
		 encode(point, sizeof(point), text));
	(void)read_set(json);
	assert_false(keys.count &&
		     issuer_key_verifies(&keys.keys[0], signed_text,
					 (struct str){(char *)signature, sizeof(signature)}));
}

#define ED25519                                                                                    \
	"\"kty\": \"OKP\", \"crv\": \"Ed25519\", \"x\": "                                          \
	"\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\""

TEST(what_is_passed_over)
{
	static const char *const odd[] = {
	    "1",
	    "null",
	    "[]",
	    "{}",
	    "\"x\"",
	    "{" ED25519 ", \"use\": \"enc\"}",
	    "{" ED25519 ", \"alg\": \"none\"}",
	    "{" ED25519 ", \"alg\": \"HS256\"}",
	    "{" ED25519 ", \"alg\": \"RS256\"}",
	    "{" ED25519 ", \"kid\": \"a\\u0000b\"}",
	    "{" ED25519 ", \"kty\": \"OKP\"}",
	    "{" ED25519 ", \"kid\": \"a\", \"kid\": \"b\"}",
	    "{\"kty\": \"oct\", \"k\": \"AAAA\"}",
	    "{\"kty\": \"OKP\", \"crv\": \"X25519\", \"x\": \"AAAA\"}",
	};

	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++)
		assert_int_equal(read_set(odd[i]), 0);
	assert_int_equal(read_set("{" ED25519 ", \"use\": \"sig\", \"alg\": \"EdDSA\"}"), 1);
}

TEST(a_key_is_found_if_it_is_clear_which)
{
	const struct str one = STR("one"), two = STR("two"), none = {0};

	assert_int_equal(read_set("{" ED25519 ", \"kid\": \"one\"}"), 1);
	assert_ptr_equal(issuer_keys_find(&keys, KEY_EDDSA, one), &keys.keys[0]);
	assert_ptr_equal(issuer_keys_find(&keys, KEY_EDDSA, none), &keys.keys[0]);
	assert_null(issuer_keys_find(&keys, KEY_EDDSA, two));
	assert_null(issuer_keys_find(&keys, KEY_RS256, one));
	assert_null(issuer_keys_find(&keys, KEY_UNKNOWN, one));
	assert_int_equal(
	    read_set("{" ED25519 ", \"kid\": \"one\"}, {" ED25519 ", \"kid\": \"one\"}"), 2);
	assert_null(issuer_keys_find(&keys, KEY_EDDSA, one));
	assert_null(issuer_keys_find(&keys, KEY_EDDSA, none));
}

TEST(sets_have_a_bound)
{
	static char members[32 * 1024];
	size_t length = 0;

	for (unsigned i = 0; i < 2 * ISSUER_KEYS_MAX; i++)
		length += (size_t)snprintf(members + length, sizeof(members) - length,
					   "%s{" ED25519 "}", i ? ", " : "");
	assert_int_equal(read_set(members), ISSUER_KEYS_MAX);
	assert_false(issuer_keys_read(STR(""), &keys));
	assert_false(issuer_keys_read(STR("[]"), &keys));
	assert_false(issuer_keys_read(STR("{\"keys\": {}}"), &keys));
}

RUN_TESTS(NULL, NULL)

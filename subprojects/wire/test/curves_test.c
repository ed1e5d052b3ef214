/* P-256 as mbedTLS computes it here: by a driver of ours, which asks libcrypto
 * (packagefiles/mbedtls/p256.c). Known answers are those of NIST's KAS ECC CDH test and of RFC
 * 6979. */
#include <psa/crypto.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../test/unit/cmocka_test.h"

enum { NUMBER = 32, POINT = 65, SIGNATURE = 64, THREADS = 4, ROUNDS = 50 };

#define ORDER "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
#define BELOW_ORDER "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550"
#define ZERO "0000000000000000000000000000000000000000000000000000000000000000"

#define OWN "7d7dc5f71eb29ddaf80d6214632eeae03d9058af1fb6d22ed80badb62bc1a534"
#define OWN_X "ead218590119e8876b29146ff89ca61770c4edbbf97d38ce385ed281d8a6b230"
#define OWN_Y "28af61281fd35e2fa7002523acc85a429cb06ee6648325389f59edfce1405141"
#define PEER_X "700c48f77f56584c5cc632ca65640db91b6bacce3a4df6b42ce7cc838833d287"
#define PEER_Y "db71e509e3fd9b060ddb20ba5c51dcc5948d46fbf640dfe0441782cab85fa4ac"
#define SHARED "46fc62106420ff012e54a434fbdd2d25ccc5852060561e68040dd7778997bd7b"

#define SIGNER "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"
#define SIGNER_X "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
#define SIGNER_Y "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"
#define R "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
#define S "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"

static size_t unhex(const char *text, uint8_t *ret)
{
	size_t size = strlen(text) / 2;

	for (size_t i = 0; i < size; i++) {
		const char digits[] = {text[2 * i], text[2 * i + 1], '\0'};
		char *end;

		ret[i] = (uint8_t)strtoul(digits, &end, 16);
		assert_ptr_equal(end, digits + 2);
	}
	return size;
}

static psa_status_t import(psa_key_type_t type, psa_algorithm_t algorithm, const char *hex,
			   psa_key_id_t *ret_key)
{
	psa_key_attributes_t attributes = PSA_KEY_ATTRIBUTES_INIT;
	uint8_t bytes[2 * POINT];
	size_t size = unhex(hex, bytes);

	psa_set_key_type(&attributes, type);
	psa_set_key_algorithm(&attributes, algorithm);
	psa_set_key_usage_flags(&attributes, PSA_KEY_USAGE_DERIVE | PSA_KEY_USAGE_SIGN_HASH |
						 PSA_KEY_USAGE_VERIFY_HASH);
	return psa_import_key(&attributes, bytes, size, ret_key);
}

#define PRIVATE PSA_KEY_TYPE_ECC_KEY_PAIR(PSA_ECC_FAMILY_SECP_R1)
#define X25519 PSA_KEY_TYPE_ECC_KEY_PAIR(PSA_ECC_FAMILY_MONTGOMERY)
#define PUBLIC PSA_KEY_TYPE_ECC_PUBLIC_KEY(PSA_ECC_FAMILY_SECP_R1)

static psa_key_id_t key_of(psa_key_type_t type, psa_algorithm_t algorithm, const char *hex)
{
	psa_key_id_t key;

	assert_int_equal(import(type, algorithm, hex, &key), PSA_SUCCESS);
	return key;
}

static psa_status_t agree(psa_key_id_t key, const char *peer, uint8_t ret[NUMBER])
{
	uint8_t point[POINT];
	size_t size;

	assert_int_equal(unhex(peer, point), POINT);
	return psa_raw_key_agreement(PSA_ALG_ECDH, key, point, POINT, ret, NUMBER, &size);
}

TEST(test_a_known_shared_secret)
{
	psa_key_id_t key = key_of(PRIVATE, PSA_ALG_ECDH, OWN);
	uint8_t found[POINT], expected[POINT];
	size_t size;

	assert_int_equal(psa_export_public_key(key, found, sizeof(found), &size), PSA_SUCCESS);
	assert_int_equal(size, unhex("04" OWN_X OWN_Y, expected));
	assert_memory_equal(found, expected, POINT);
	assert_int_equal(agree(key, "04" PEER_X PEER_Y, found), PSA_SUCCESS);
	unhex(SHARED, expected);
	assert_memory_equal(found, expected, NUMBER);
	psa_destroy_key(key);
}

TEST(test_what_is_no_point)
{
	static const char *const points[] = {
	    "04" PEER_X PEER_X,
	    "04" ZERO ZERO,
	    "04" ORDER PEER_Y,
	    ("04ffffffff00000001000000000000000000000000ffffffffffffffffffffffff" ZERO),
	};
	psa_key_id_t key = key_of(PRIVATE, PSA_ALG_ECDH, OWN), other;
	uint8_t found[NUMBER];

	for (unsigned i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
		assert_int_equal(agree(key, points[i], found), PSA_ERROR_INVALID_ARGUMENT);
		assert_int_not_equal(
		    import(PUBLIC, PSA_ALG_ECDSA(PSA_ALG_SHA_256), points[i], &other), PSA_SUCCESS);
	}
	psa_destroy_key(key);
}

TEST(test_what_is_no_secret)
{
	psa_key_id_t key;

	assert_int_not_equal(import(PRIVATE, PSA_ALG_ECDH, ZERO, &key), PSA_SUCCESS);
	assert_int_not_equal(import(PRIVATE, PSA_ALG_ECDH, ORDER, &key), PSA_SUCCESS);
	psa_destroy_key(key_of(PRIVATE, PSA_ALG_ECDH, BELOW_ORDER));
}

static psa_status_t verify(psa_key_id_t key, const uint8_t *hash, const uint8_t *signature)
{
	return psa_verify_hash(key, PSA_ALG_ECDSA(PSA_ALG_SHA_256), hash, NUMBER, signature,
			       SIGNATURE);
}

TEST(test_a_known_signature)
{
	psa_key_id_t key = key_of(PUBLIC, PSA_ALG_ECDSA(PSA_ALG_SHA_256), "04" SIGNER_X SIGNER_Y);
	uint8_t hash[NUMBER], signature[SIGNATURE];
	size_t size;

	assert_int_equal(psa_hash_compute(PSA_ALG_SHA_256, (const uint8_t *)"sample", 6, hash,
					  sizeof(hash), &size),
			 PSA_SUCCESS);
	unhex(R S, signature);
	assert_int_equal(verify(key, hash, signature), PSA_SUCCESS);
	for (unsigned i = 0; i < SIGNATURE; i++) {
		signature[i] ^= 1;
		assert_int_equal(verify(key, hash, signature), PSA_ERROR_INVALID_SIGNATURE);
		signature[i] ^= 1;
	}
	hash[0] ^= 1;
	assert_int_equal(verify(key, hash, signature), PSA_ERROR_INVALID_SIGNATURE);
	psa_destroy_key(key);
}

static void *sign_often(void *argument)
{
	psa_key_id_t key = *(psa_key_id_t *)argument;
	uint8_t hash[NUMBER] = {0}, signature[SIGNATURE], previous[SIGNATURE] = {0};
	size_t size;

	for (unsigned i = 0; i < ROUNDS; i++) {
		hash[0] = (uint8_t)(i / 2);
		if (psa_sign_hash(key, PSA_ALG_ECDSA(PSA_ALG_SHA_256), hash, sizeof(hash),
				  signature, sizeof(signature), &size) != PSA_SUCCESS ||
		    size != SIGNATURE || verify(key, hash, signature) != PSA_SUCCESS)
			return "a signature is wrong";
		/* A number that is used twice tells the key. */
		if (memcmp(signature, previous, NUMBER) == 0)
			return "two signatures share their random number";
		memcpy(previous, signature, sizeof(previous));
	}
	return NULL;
}

TEST(test_threads_sign)
{
	psa_key_id_t key = key_of(PRIVATE, PSA_ALG_ECDSA(PSA_ALG_SHA_256), SIGNER);
	pthread_t threads[THREADS];
	void *fault;

	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, sign_often, &key), 0);
	for (unsigned i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], &fault), 0);
		assert_null(fault);
	}
	psa_destroy_key(key);
}

static void assert_made_keys_agree(psa_key_type_t type, size_t bits)
{
	psa_key_attributes_t attributes = PSA_KEY_ATTRIBUTES_INIT;
	psa_key_id_t keys[2];
	uint8_t points[2][POINT], secrets[2][NUMBER];
	size_t point_size, size;

	psa_set_key_type(&attributes, type);
	psa_set_key_bits(&attributes, bits);
	psa_set_key_algorithm(&attributes, PSA_ALG_ECDH);
	psa_set_key_usage_flags(&attributes, PSA_KEY_USAGE_DERIVE);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(psa_generate_key(&attributes, &keys[i]), PSA_SUCCESS);
		assert_int_equal(psa_export_public_key(keys[i], points[i], POINT, &point_size),
				 PSA_SUCCESS);
	}
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(psa_raw_key_agreement(PSA_ALG_ECDH, keys[i], points[1 - i],
						       point_size, secrets[i], NUMBER, &size),
				 PSA_SUCCESS);
	assert_memory_equal(secrets[0], secrets[1], NUMBER);
	assert_memory_not_equal(points[0], points[1], point_size);
	psa_destroy_key(keys[0]);
	psa_destroy_key(keys[1]);
}

TEST(test_made_keys_agree)
{
	assert_made_keys_agree(PRIVATE, 256);
	assert_made_keys_agree(X25519, 255);
	/* No function of ours. */
	assert_made_keys_agree(PSA_KEY_TYPE_ECC_KEY_PAIR(PSA_ECC_FAMILY_BRAINPOOL_P_R1), 256);
}

TEST(test_a_known_secret_of_x25519)
{
	/* Clamped, as PSA wants it. */
	psa_key_id_t key =
	    key_of(X25519, PSA_ALG_ECDH,
		   "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e5f");
	uint8_t found[POINT], expected[NUMBER], peer[NUMBER];
	size_t size;

	assert_int_equal(psa_export_public_key(key, found, sizeof(found), &size), PSA_SUCCESS);
	assert_int_equal(
	    size,
	    unhex("8f40c5adb68f25624ae5b214ea767a6ec94d829d3d7b5e1ad1ba6f3e2138285f", expected));
	assert_memory_equal(found, expected, NUMBER);
	unhex("7d9c24316539825c1896e57f28197746793ce60cbee3ad47da9d07b85fa55e2a", peer);
	assert_int_equal(
	    psa_raw_key_agreement(PSA_ALG_ECDH, key, peer, NUMBER, found, NUMBER, &size),
	    PSA_SUCCESS);
	unhex("3ae143fb898911b4591769dc17ca01775cc4cad4d05b8f33a39c79e30fa63a72", expected);
	assert_memory_equal(found, expected, NUMBER);
	/* Points of a small order share no secret. */
	memset(peer, 0, sizeof(peer));
	for (peer[0] = 0; peer[0] < 2; peer[0]++)
		assert_int_equal(
		    psa_raw_key_agreement(PSA_ALG_ECDH, key, peer, NUMBER, found, NUMBER, &size),
		    PSA_ERROR_INVALID_ARGUMENT);
	psa_destroy_key(key);
}

int main(void)
{
	if (psa_crypto_init() != PSA_SUCCESS)
		return 1;
	return run_all_tests(NULL, NULL);
}

/* P-256 for mbedTLS: the functions of its driver p256-m, computed by OpenSSL's libcrypto. Its
 * assembler needs 20 us for a signature and 45 us for a shared secret; mbedTLS needs 350 and 500.
 * Secret numbers have BN_FLG_CONSTTIME, by which libcrypto computes in constant time. Any thread
 * may call these. */
#define OPENSSL_SUPPRESS_DEPRECATED /* EVP would unpack a key again for each signature */

#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/objects.h>
#include <p256-m.h>
#include <psa/crypto.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	NUMBER_BYTES = 32,
	POINT_BYTES = 2 * NUMBER_BYTES,
	ENCODED_BYTES = 1 + POINT_BYTES,
	TRIES_MAX = 4
};

static EC_GROUP *curve;

static void set_up(void)
{
	curve = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
	if (!curve)
		abort(); /* out of memory, or a libcrypto without the curve that all have */
}

static const EC_GROUP *p256(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, set_up);
	return curve;
}

/* A number from 1 to the curve's order; NULL: it is not, or there is no memory. Free with
 * BN_clear_free(). */
static BIGNUM *read_secret(const uint8_t bytes[NUMBER_BYTES])
{
	BIGNUM *number = BN_bin2bn(bytes, NUMBER_BYTES, NULL);

	if (!number)
		return NULL;
	BN_set_flags(number, BN_FLG_CONSTTIME);
	if (!BN_is_zero(number) && BN_cmp(number, EC_GROUP_get0_order(p256())) < 0)
		return number;
	BN_clear_free(number);
	return NULL;
}

/* NULL: no point of the curve, or no memory. */
static EC_POINT *read_point(const uint8_t bytes[POINT_BYTES])
{
	uint8_t encoded[ENCODED_BYTES] = {POINT_CONVERSION_UNCOMPRESSED};
	EC_POINT *point = EC_POINT_new(p256());

	memcpy(encoded + 1, bytes, POINT_BYTES);
	if (point && EC_POINT_oct2point(p256(), point, encoded, sizeof(encoded), NULL) == 1)
		return point;
	EC_POINT_free(point);
	return NULL;
}

/* The point times the secret; without a point, that of the curve's generator. */
static bool multiply(const EC_POINT *point, const BIGNUM *secret, uint8_t ret[POINT_BYTES])
{
	uint8_t encoded[ENCODED_BYTES];
	EC_POINT *product = EC_POINT_new(p256());
	bool is_done = product &&
		       EC_POINT_mul(p256(), product, point ? NULL : secret, point,
				    point ? secret : NULL, NULL) == 1 &&
		       EC_POINT_point2oct(p256(), product, POINT_CONVERSION_UNCOMPRESSED, encoded,
					  sizeof(encoded), NULL) == sizeof(encoded);

	EC_POINT_clear_free(product);
	if (is_done)
		memcpy(ret, encoded + 1, POINT_BYTES);
	OPENSSL_cleanse(encoded, sizeof(encoded));
	return is_done;
}

int p256_validate_privkey(const uint8_t priv[NUMBER_BYTES])
{
	BIGNUM *secret = read_secret(priv);

	BN_clear_free(secret);
	return secret ? P256_SUCCESS : P256_INVALID_PRIVKEY;
}

int p256_validate_pubkey(const uint8_t pub[POINT_BYTES])
{
	EC_POINT *point = read_point(pub);

	EC_POINT_free(point);
	return point ? P256_SUCCESS : P256_INVALID_PUBKEY;
}

int p256_public_from_private(uint8_t pub[POINT_BYTES], const uint8_t priv[NUMBER_BYTES])
{
	BIGNUM *secret = read_secret(priv);
	bool is_done = secret && multiply(NULL, secret, pub);

	BN_clear_free(secret);
	return is_done ? P256_SUCCESS : P256_INVALID_PRIVKEY;
}

int p256_gen_keypair(uint8_t priv[NUMBER_BYTES], uint8_t pub[POINT_BYTES])
{
	(void)pub; /* the driver throws it away, and asks for it later */
	/* Tries again: of 2^32 numbers one is no key. Without memory none is. */
	for (int i = 0; i < TRIES_MAX; i++) {
		if (psa_generate_random(priv, NUMBER_BYTES) != PSA_SUCCESS)
			break;
		if (p256_validate_privkey(priv) == P256_SUCCESS)
			return P256_SUCCESS;
	}
	return P256_RANDOM_FAILED;
}

int p256_ecdh_shared_secret(uint8_t ret_secret[NUMBER_BYTES], const uint8_t priv[NUMBER_BYTES],
			    const uint8_t pub[POINT_BYTES])
{
	BIGNUM *secret = read_secret(priv);
	EC_POINT *point = read_point(pub);
	uint8_t product[POINT_BYTES];
	int result = !secret ? P256_INVALID_PRIVKEY : P256_INVALID_PUBKEY;

	if (secret && point && multiply(point, secret, product)) {
		memcpy(ret_secret, product, NUMBER_BYTES);
		result = P256_SUCCESS;
	}
	OPENSSL_cleanse(product, sizeof(product));
	EC_POINT_free(point);
	BN_clear_free(secret);
	return result;
}

static bool sign(const BIGNUM *secret, const uint8_t *hash, size_t size, uint8_t ret[POINT_BYTES])
{
	EC_KEY *key = EC_KEY_new();
	ECDSA_SIG *signature = NULL;
	bool is_done = false;

	if (key && EC_KEY_set_group(key, p256()) == 1 && EC_KEY_set_private_key(key, secret) == 1)
		signature = ECDSA_do_sign(hash, (int)size, key);
	if (signature)
		is_done =
		    BN_bn2binpad(ECDSA_SIG_get0_r(signature), ret, NUMBER_BYTES) > 0 &&
		    BN_bn2binpad(ECDSA_SIG_get0_s(signature), ret + NUMBER_BYTES, NUMBER_BYTES) > 0;
	ECDSA_SIG_free(signature);
	EC_KEY_free(key);
	return is_done;
}

int p256_ecdsa_sign(uint8_t ret_signature[POINT_BYTES], const uint8_t priv[NUMBER_BYTES],
		    const uint8_t *hash, size_t size)
{
	BIGNUM *secret = read_secret(priv);
	int result = P256_INVALID_PRIVKEY;

	if (secret)
		result =
		    sign(secret, hash, size, ret_signature) ? P256_SUCCESS : P256_RANDOM_FAILED;
	BN_clear_free(secret);
	return result;
}

static bool verify(const uint8_t bytes[POINT_BYTES], const EC_POINT *point, const uint8_t *hash,
		   size_t size)
{
	BIGNUM *r = BN_bin2bn(bytes, NUMBER_BYTES, NULL);
	BIGNUM *s = BN_bin2bn(bytes + NUMBER_BYTES, NUMBER_BYTES, NULL);
	ECDSA_SIG *signature = ECDSA_SIG_new();
	EC_KEY *key = EC_KEY_new();
	bool is_true = false;

	if (r && s && signature && key && ECDSA_SIG_set0(signature, r, s) == 1) {
		r = s = NULL;
		is_true = EC_KEY_set_group(key, p256()) == 1 &&
			  EC_KEY_set_public_key(key, point) == 1 &&
			  ECDSA_do_verify(hash, (int)size, signature, key) == 1;
	}
	EC_KEY_free(key);
	ECDSA_SIG_free(signature);
	BN_free(r);
	BN_free(s);
	return is_true;
}

int p256_ecdsa_verify(const uint8_t signature[POINT_BYTES], const uint8_t pub[POINT_BYTES],
		      const uint8_t *hash, size_t size)
{
	EC_POINT *point = read_point(pub);
	int result = P256_INVALID_PUBKEY;

	if (point)
		result =
		    verify(signature, point, hash, size) ? P256_SUCCESS : P256_INVALID_SIGNATURE;
	EC_POINT_free(point);
	return result;
}

#include "issuer_keys.h"
#include "base/memory.h"
#include "record/json_memory.h"
#include "record/json_text.h"

#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <sodium.h>
#include <string.h>

enum { RSA_BYTES_MIN = 256, COORDINATE_BYTES = 32, ED25519_BYTES = 32 };

enum key_algorithm key_algorithm_of(struct str name)
{
	if (str_equal(name, STR("RS256")))
		return KEY_RS256;
	if (str_equal(name, STR("ES256")))
		return KEY_ES256;
	return str_equal(name, STR("EdDSA")) ? KEY_EDDSA : KEY_UNKNOWN;
}

/* ---- reading ---- */

/* Decodes a member. Returns its size; 0: it is missing, invalid or larger than max. */
static unsigned decode(yyjson_val *key, const char *name, uint8_t *ret, size_t max)
{
	struct str text = json_text(yyjson_obj_get(key, name));
	size_t size = 0;

	if (!text.length || sodium_base642bin(ret, max, text.data, text.length, NULL, &size, NULL,
					      sodium_base64_VARIANT_URLSAFE_NO_PADDING) < 0)
		return 0;
	return (unsigned)size;
}

static bool read_rsa(yyjson_val *json, struct issuer_key *key)
{
	uint32_t exponent = 0;

	key->size = decode(json, "n", key->bytes, sizeof(key->bytes));
	key->exponent_size = decode(json, "e", key->exponent, sizeof(key->exponent));
	for (unsigned i = 0; i < key->exponent_size; i++)
		exponent = exponent << 8 | key->exponent[i];
	/* With 1 as exponent, anybody can sign. */
	return key->size >= RSA_BYTES_MIN &&
	       key->bytes[0] >= (key->size == RSA_BYTES_MIN ? 0x80 : 1) && exponent >= 3 &&
	       (exponent & 1);
}

static bool read_point(yyjson_val *json, struct issuer_key *key)
{
	key->bytes[0] = POINT_CONVERSION_UNCOMPRESSED;
	key->size = 1 + 2 * COORDINATE_BYTES;
	return str_equal(json_text(yyjson_obj_get(json, "crv")), STR("P-256")) &&
	       decode(json, "x", key->bytes + 1, COORDINATE_BYTES) == COORDINATE_BYTES &&
	       decode(json, "y", key->bytes + 1 + COORDINATE_BYTES, COORDINATE_BYTES) ==
		   COORDINATE_BYTES;
}

static bool read_ed25519(yyjson_val *json, struct issuer_key *key)
{
	key->size = decode(json, "x", key->bytes, ED25519_BYTES);
	return str_equal(json_text(yyjson_obj_get(json, "crv")), STR("Ed25519")) &&
	       key->size == ED25519_BYTES;
}

static bool read_numbers(yyjson_val *json, struct issuer_key *key)
{
	struct str type = json_text(yyjson_obj_get(json, "kty"));

	if (str_equal(type, STR("RSA"))) {
		key->algorithm = KEY_RS256;
		return read_rsa(json, key);
	}
	if (str_equal(type, STR("EC"))) {
		key->algorithm = KEY_ES256;
		return read_point(json, key);
	}
	key->algorithm = KEY_EDDSA;
	return str_equal(type, STR("OKP")) && read_ed25519(json, key);
}

static bool read_key(yyjson_val *json, struct issuer_key *key)
{
	static const char *const names[] = {"kty", "use", "kid", "alg", "n", "e", "crv", "x", "y"};
	struct str use = json_text(yyjson_obj_get(json, "use"));
	struct str id = json_text(yyjson_obj_get(json, "kid"));
	struct str algorithm = json_text(yyjson_obj_get(json, "alg"));

	memset(key, 0, sizeof(*key));
	if (!json_has_each_once(json, names, array_length(names)) ||
	    (use.data && !str_equal(use, STR("sig"))) || id.length > ISSUER_KEY_ID_MAX ||
	    memchr(id.data ? id.data : "", 0, id.length) || !read_numbers(json, key))
		return false;
	memcpy(key->id, id.data ? id.data : "", id.length);
	return !algorithm.data || key_algorithm_of(algorithm) == key->algorithm;
}

bool issuer_keys_read(struct str json, struct issuer_keys *ret)
{
	yyjson_doc *doc = yyjson_read_opts((char *)json.data, json.length, 0, &json_memory, NULL);
	yyjson_val *keys = yyjson_obj_get(yyjson_doc_get_root(doc), "keys"), *key;
	bool is_set = yyjson_is_arr(keys);
	size_t i, count;

	ret->count = 0;
	yyjson_arr_foreach(keys, i, count, key)
	{
		if (ret->count < ISSUER_KEYS_MAX && read_key(key, &ret->keys[ret->count]))
			ret->count++;
	}
	yyjson_doc_free(doc);
	return is_set;
}

const struct issuer_key *issuer_keys_find(const struct issuer_keys *keys,
					  enum key_algorithm algorithm, struct str id)
{
	const struct issuer_key *found = NULL;

	for (unsigned i = 0; i < keys->count; i++) {
		const struct issuer_key *key = &keys->keys[i];

		if (key->algorithm != algorithm || (id.data && !str_equal(id, str_from(key->id))))
			continue;
		if (found)
			return NULL; /* it is not clear which one is meant */
		found = key;
	}
	return found;
}

/* ---- signatures ---- */

static EVP_PKEY *build(const char *type, OSSL_PARAM *parameters)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
	EVP_PKEY *made = NULL;

	if (context && parameters && EVP_PKEY_fromdata_init(context) > 0)
		(void)EVP_PKEY_fromdata(context, &made, EVP_PKEY_PUBLIC_KEY, parameters);
	EVP_PKEY_CTX_free(context);
	return made;
}

static EVP_PKEY *rsa_new(const struct issuer_key *key)
{
	OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
	BIGNUM *modulus = BN_bin2bn(key->bytes, (int)key->size, NULL);
	BIGNUM *exponent = BN_bin2bn(key->exponent, (int)key->exponent_size, NULL);
	OSSL_PARAM *parameters = NULL;
	EVP_PKEY *made;

	if (builder && modulus && exponent &&
	    OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, modulus) &&
	    OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, exponent))
		parameters = OSSL_PARAM_BLD_to_param(builder);
	made = build("RSA", parameters);
	OSSL_PARAM_free(parameters);
	OSSL_PARAM_BLD_free(builder);
	BN_free(modulus);
	BN_free(exponent);
	return made;
}

/* OpenSSL rejects a point that is not on the curve. */
static EVP_PKEY *point_new(const struct issuer_key *key)
{
	char curve[] = "P-256";
	OSSL_PARAM parameters[] = {
	    OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, curve, sizeof(curve) - 1),
	    OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)key->bytes, key->size),
	    OSSL_PARAM_END,
	};

	return build("EC", parameters);
}

static EVP_PKEY *key_new(const struct issuer_key *key)
{
	return key->algorithm == KEY_RS256 ? rsa_new(key) : point_new(key);
}

static bool verifies(EVP_PKEY *key, struct str text, const uint8_t *signature, size_t size)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	bool is_right =
	    context && EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
	    EVP_DigestVerify(context, signature, size, (const uint8_t *)text.data, text.length) ==
		1;

	EVP_MD_CTX_free(context);
	return is_right;
}

/* ES256 has both numbers one after the other (RFC 7518 section 3.4), OpenSSL wants them as DER. */
static bool point_verifies(EVP_PKEY *key, struct str text, struct str signature)
{
	const uint8_t *bytes = (const uint8_t *)signature.data;
	ECDSA_SIG *numbers = ECDSA_SIG_new();
	BIGNUM *r = NULL, *s = NULL;
	uint8_t *der = NULL;
	bool is_right = false;
	int size;

	if (numbers && signature.length == 2 * COORDINATE_BYTES) {
		r = BN_bin2bn(bytes, COORDINATE_BYTES, NULL);
		s = BN_bin2bn(bytes + COORDINATE_BYTES, COORDINATE_BYTES, NULL);
	}
	if (r && s && ECDSA_SIG_set0(numbers, r, s) == 1) {
		r = s = NULL; /* now the signature's */
		size = i2d_ECDSA_SIG(numbers, &der);
		is_right = size > 0 && verifies(key, text, der, (size_t)size);
	}
	BN_free(r);
	BN_free(s);
	OPENSSL_free(der);
	ECDSA_SIG_free(numbers);
	return is_right;
}

/* libsodium, other than OpenSSL, rejects keys of small order, by which anybody can sign. */
static bool ed25519_verifies(const struct issuer_key *key, struct str text, struct str signature)
{
	return signature.length == crypto_sign_BYTES &&
	       crypto_sign_verify_detached((const uint8_t *)signature.data,
					   (const uint8_t *)text.data, text.length,
					   key->bytes) == 0;
}

bool issuer_key_verifies(const struct issuer_key *key, struct str text, struct str signature)
{
	EVP_PKEY *made;
	bool is_right = false;

	if (key->algorithm == KEY_EDDSA)
		return ed25519_verifies(key, text, signature);
	made = key_new(key);
	if (made && key->algorithm == KEY_ES256)
		is_right = point_verifies(made, text, signature);
	else if (made)
		is_right = verifies(made, text, (const uint8_t *)signature.data, signature.length);
	EVP_PKEY_free(made);
	return is_right;
}

/* Public keys of an issuer (RFC 7517), and signatures by them (RFC 7515): RS256, ES256 and EdDSA
 * with Ed25519. What a token or a key says of others is not used: neither "none" nor a secret key
 * is an algorithm here. OpenSSL's libcrypto computes, and libsodium for Ed25519. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <text/str.h>

enum key_algorithm { KEY_UNKNOWN, KEY_RS256, KEY_ES256, KEY_EDDSA };

enum {
	ISSUER_KEYS_MAX = 32, /* further ones are passed over */
	ISSUER_KEY_ID_MAX = 200,
	ISSUER_KEY_BYTES_MAX = 512,
	ISSUER_EXPONENT_BYTES_MAX = 4,
};

struct issuer_key {
	enum key_algorithm algorithm;
	char id[ISSUER_KEY_ID_MAX + 1];	     /* empty: it has none */
	uint8_t bytes[ISSUER_KEY_BYTES_MAX]; /* modulus; point, uncompressed; or Ed25519's 32 */
	unsigned size;
	uint8_t exponent[ISSUER_EXPONENT_BYTES_MAX];
	unsigned exponent_size;
};

struct issuer_keys {
	struct issuer_key keys[ISSUER_KEYS_MAX];
	unsigned count;
};

/* Returns the algorithm of this name; KEY_UNKNOWN: it is not accepted. */
enum key_algorithm key_algorithm_of(struct str name);

/* Reads a set of keys; those that cannot be used here are passed over: symmetric ones, those for
 * encryption, those with two members of a name, and RSA of less than 2048 or more than 4096 bits or
 * with 1 as exponent. Returns false if it is no set. */
__attribute__((warn_unused_result)) bool issuer_keys_read(struct str json, struct issuer_keys *ret);

/* Finds the key of a token. id: data is NULL if the token names none: then the set must have one
 * key of the algorithm. NULL: there is none. */
const struct issuer_key *issuer_keys_find(const struct issuer_keys *keys,
					  enum key_algorithm algorithm, struct str id);

/* Whether the signature is of this text and by this key. Takes up to about 0.2 ms. */
__attribute__((warn_unused_result)) bool issuer_key_verifies(const struct issuer_key *key,
							     struct str text, struct str signature);

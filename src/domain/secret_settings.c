#include "domain/secret_settings.h"
#include "base/require.h"

#include <sodium.h>

/* First byte of encrypted settings: the version of their format. */
enum { FORM_BYTE = 1 };

_Static_assert(SETTINGS_KEY_BYTES == crypto_secretbox_KEYBYTES &&
		   SETTINGS_KEY_BYTES == crypto_generichash_KEYBYTES,
	       "one length for all");

/* Derives a key. purpose: keys of different purposes differ. */
static void derive(const struct settings_key *key, struct str purpose, struct id device,
		   struct str installation, uint8_t ret[static SETTINGS_KEY_BYTES])
{
	crypto_generichash_state state;

	crypto_generichash_init(&state, key->bytes, sizeof(key->bytes), SETTINGS_KEY_BYTES);
	crypto_generichash_update(&state, (const uint8_t *)purpose.data, purpose.length);
	crypto_generichash_update(&state, device.bytes, sizeof(device.bytes));
	crypto_generichash_update(&state, (const uint8_t *)installation.data, installation.length);
	crypto_generichash_final(&state, ret, SETTINGS_KEY_BYTES);
}

void settings_encrypt(const struct settings_key *key, struct id device, struct str installation,
		      struct str json, struct buffer *ret_encrypted)
{
	size_t size = 1 + crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES + json.length;
	uint8_t *out = (uint8_t *)buffer_reserve(ret_encrypted, size);
	uint8_t *nonce = out + 1;
	uint8_t own[SETTINGS_KEY_BYTES];

	derive(key, STR("seal "), device, installation, own);
	out[0] = FORM_BYTE;
	randombytes_buf(nonce, crypto_secretbox_NONCEBYTES);
	require(crypto_secretbox_easy(nonce + crypto_secretbox_NONCEBYTES,
				      (const uint8_t *)json.data, json.length, nonce, own) == 0);
	sodium_memzero(own, sizeof(own));
	buffer_commit(ret_encrypted, size);
}

bool settings_decrypt(const struct settings_key *key, struct id device, struct str installation,
		      struct str encrypted, struct arena *arena, struct str *ret_json)
{
	enum { HEAD = 1 + crypto_secretbox_NONCEBYTES };
	const uint8_t *data = (const uint8_t *)encrypted.data;
	uint8_t own[SETTINGS_KEY_BYTES];
	size_t length;
	uint8_t *text;
	int error;

	if (encrypted.length < HEAD + crypto_secretbox_MACBYTES || data[0] != FORM_BYTE)
		return false;
	length = encrypted.length - HEAD - crypto_secretbox_MACBYTES;
	text = arena_alloc(arena, length + 1);
	derive(key, STR("seal "), device, installation, own);
	error =
	    crypto_secretbox_open_easy(text, data + HEAD, encrypted.length - HEAD, data + 1, own);
	sodium_memzero(own, sizeof(own));
	*ret_json = (struct str){(const char *)text, length};
	return error == 0;
}

void settings_key_fingerprint(const struct settings_key *key,
			      uint8_t ret_fingerprint[static SETTINGS_KEY_BYTES])
{
	derive(key, STR("fingerprint "), (struct id){0}, (struct str){0}, ret_fingerprint);
}

const char settings_open_failed[] =
    "its secret settings were encrypted with another key: set them again, and give all instances "
    "the same --secret-key-file";

void settings_hash(const struct settings_key *key, struct str json, bool has_secret,
		   uint8_t ret_hash[static SETTINGS_HASH_BYTES])
{
	uint8_t own[SETTINGS_KEY_BYTES];

	_Static_assert(SETTINGS_HASH_BYTES == crypto_hash_sha256_BYTES &&
			   SETTINGS_HASH_BYTES == crypto_auth_hmacsha256_BYTES &&
			   SETTINGS_KEY_BYTES == crypto_auth_hmacsha256_KEYBYTES,
		       "one length for all");
	if (!has_secret) {
		crypto_hash_sha256(ret_hash, (const uint8_t *)json.data, json.length);
		return;
	}
	derive(key, STR("hash "), (struct id){0}, (struct str){0}, own);
	crypto_auth_hmacsha256(ret_hash, (const uint8_t *)json.data, json.length, own);
	sodium_memzero(own, sizeof(own));
}

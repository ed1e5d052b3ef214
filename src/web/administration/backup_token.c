#include "backup_token.h"

#include <sodium.h>
#include <string.h>

enum {
	NONCE_BYTES = crypto_secretbox_NONCEBYTES,
	PLAIN_BYTES = BACKUP_TOKEN_BYTES - crypto_secretbox_NONCEBYTES - crypto_secretbox_MACBYTES,
	TIME_BYTES = 8,
};

#define BASE64_VARIANT sodium_base64_VARIANT_URLSAFE_NO_PADDING

_Static_assert(NONCE_BYTES + crypto_secretbox_MACBYTES == 24 + 16, "sizes in the header");

static void own_key(const struct settings_key *key, uint8_t ret_key[static SETTINGS_KEY_BYTES])
{
	static const char purpose[] = "displayd ordered backup";

	crypto_generichash(ret_key, SETTINGS_KEY_BYTES, (const uint8_t *)purpose,
			   sizeof(purpose) - 1, key->bytes, sizeof(key->bytes));
}

static uint8_t *put(uint8_t *to, const void *bytes, size_t size)
{
	memcpy(to, bytes, size);
	return to + size;
}

static const uint8_t *take(const uint8_t *from, void *ret_bytes, size_t size)
{
	memcpy(ret_bytes, from, size);
	return from + size;
}

void backup_token_write(const struct settings_key *key, const struct backup_token *token,
			char ret_text[static BACKUP_TOKEN_LENGTH + 1])
{
	uint8_t own[SETTINGS_KEY_BYTES], plain[PLAIN_BYTES], bytes[BACKUP_TOKEN_BYTES], *at = plain;

	for (int i = 0; i < TIME_BYTES; i++)
		*at++ = (uint8_t)((uint64_t)token->ends_s >> (8 * i));
	at = put(at, token->session_id.bytes, ID_BYTES);
	at = put(at, token->key.file_key, AGE_KEY_BYTES);
	at = put(at, token->key.salt, AGE_SALT_BYTES);
	put(at, token->key.wrapped, AGE_WRAPPED_BYTES);
	randombytes_buf(bytes, NONCE_BYTES);
	own_key(key, own);
	crypto_secretbox_easy(bytes + NONCE_BYTES, plain, sizeof(plain), bytes, own);
	sodium_bin2base64(ret_text, BACKUP_TOKEN_LENGTH + 1, bytes, sizeof(bytes), BASE64_VARIANT);
	sodium_memzero(own, sizeof(own));
	sodium_memzero(plain, sizeof(plain));
}

bool backup_token_read(const struct settings_key *key, struct str text,
		       struct backup_token *ret_token)
{
	uint8_t own[SETTINGS_KEY_BYTES], plain[PLAIN_BYTES], bytes[BACKUP_TOKEN_BYTES];
	const uint8_t *at = plain;
	uint64_t ends = 0;
	size_t decoded = 0;
	bool is_ours;

	if (text.length != BACKUP_TOKEN_LENGTH ||
	    sodium_base642bin(bytes, sizeof(bytes), text.data, text.length, NULL, &decoded, NULL,
			      BASE64_VARIANT) < 0 ||
	    decoded != sizeof(bytes))
		return false;
	own_key(key, own);
	is_ours = crypto_secretbox_open_easy(plain, bytes + NONCE_BYTES,
					     sizeof(bytes) - NONCE_BYTES, bytes, own) == 0;
	sodium_memzero(own, sizeof(own));
	if (!is_ours)
		return false;
	for (int i = 0; i < TIME_BYTES; i++)
		ends |= (uint64_t)*at++ << (8 * i);
	ret_token->ends_s = (int64_t)ends;
	at = take(at, ret_token->session_id.bytes, ID_BYTES);
	at = take(at, ret_token->key.file_key, AGE_KEY_BYTES);
	at = take(at, ret_token->key.salt, AGE_SALT_BYTES);
	take(at, ret_token->key.wrapped, AGE_WRAPPED_BYTES);
	sodium_memzero(plain, sizeof(plain));
	return true;
}

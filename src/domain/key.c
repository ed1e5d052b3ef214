#include "domain/key.h"

#include <sodium.h>
#include <zlib.h>

static const char base62[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

enum { PREFIX_LENGTH = 4, RANDOM_LENGTH = 30, CHECKSUM_LENGTH = 6 };

static const char api_key_prefix[] = "ddk_";

static void put_random(char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		text[i] = base62[randombytes_uniform(62)];
}

/* Writes the CRC-32 of the prefix and the random characters, in base62 with leading zeros. */
static void put_checksum(const char *key, char ret_text[static CHECKSUM_LENGTH])
{
	uint32_t crc = (uint32_t)crc32(0, (const uint8_t *)key, PREFIX_LENGTH + RANDOM_LENGTH);

	for (int i = CHECKSUM_LENGTH - 1; i >= 0; i--) {
		ret_text[i] = base62[crc % 62];
		crc /= 62;
	}
}

static bool is_base62(struct str text)
{
	static const bool is_digit[256] = {
	    ['0' ... '9'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true};

	for (size_t i = 0; i < text.length; i++) {
		if (!is_digit[(uint8_t)text.data[i]])
			return false;
	}
	return true;
}

void api_key_new(char ret_key[static API_KEY_LENGTH + 1])
{
	memcpy(ret_key, api_key_prefix, PREFIX_LENGTH);
	put_random(ret_key + PREFIX_LENGTH, RANDOM_LENGTH);
	put_checksum(ret_key, ret_key + PREFIX_LENGTH + RANDOM_LENGTH);
	ret_key[API_KEY_LENGTH] = '\0';
}

bool api_key_is_well_formed(struct str key)
{
	char checksum[CHECKSUM_LENGTH];

	if (key.length != API_KEY_LENGTH || !str_starts_with(key, STR("ddk_")) ||
	    !is_base62(str_from_offset(key, PREFIX_LENGTH)))
		return false;
	put_checksum(key.data, checksum);
	return memcmp(checksum, key.data + PREFIX_LENGTH + RANDOM_LENGTH, CHECKSUM_LENGTH) == 0;
}

void link_key_new(char ret_key[static LINK_KEY_LENGTH + 1])
{
	put_random(ret_key, LINK_KEY_LENGTH);
	ret_key[LINK_KEY_LENGTH] = '\0';
}

bool link_key_is_well_formed(struct str key)
{
	return key.length == LINK_KEY_LENGTH && is_base62(key);
}

void token_new(char ret_token[static TOKEN_LENGTH + 1])
{
	put_random(ret_token, TOKEN_LENGTH);
	ret_token[TOKEN_LENGTH] = '\0';
}

bool token_is_well_formed(struct str token)
{
	return token.length == TOKEN_LENGTH && is_base62(token);
}

void key_hash(struct str key, uint8_t ret_hash[static KEY_HASH_BYTES])
{
	crypto_hash_sha256(ret_hash, (const uint8_t *)key.data, key.length);
}

#include "task/key_hashes.h"

#include <sodium.h>
#include <string.h>

enum { TAG_BYTES = crypto_shorthash_siphashx24_BYTES, ENTRIES = 4096 };

/* Entry of the table, overwritten by the last key that hashes to it. */
static struct entry {
	bool is_taken;
	uint8_t tag[TAG_BYTES];
	uint8_t hash[KEY_HASH_BYTES];
} entries[ENTRIES];

static uint8_t secret[crypto_shorthash_siphashx24_KEYBYTES];
static bool has_secret;

void key_hash_again(struct str key, uint8_t ret_hash[static KEY_HASH_BYTES])
{
	uint8_t tag[TAG_BYTES];
	struct entry *entry;
	uint32_t number;

	if (!has_secret) {
		randombytes_buf(secret, sizeof(secret));
		has_secret = true;
	}
	crypto_shorthash_siphashx24(tag, (const uint8_t *)key.data, key.length, secret);
	memcpy(&number, tag, sizeof(number));
	entry = &entries[number % ENTRIES];
	if (!entry->is_taken || memcmp(entry->tag, tag, TAG_BYTES) != 0) {
		key_hash(key, entry->hash);
		memcpy(entry->tag, tag, TAG_BYTES);
		entry->is_taken = true;
	}
	memcpy(ret_hash, entry->hash, KEY_HASH_BYTES);
}

/* Secrets that are handed out once and stored as SHA-256 only. */
#pragma once

#include "base/str.h"

#include <stdint.h>

enum {
	KEY_HASH_BYTES = 32,
	/* "ddk_", 30 random base62 characters, 6 characters of CRC-32 */
	API_KEY_LENGTH = 4 + 30 + 6,
	/* 24 random base62 characters: a panel's URL is at most 128 characters long */
	LINK_KEY_LENGTH = 24,
};

/* A new API key with a NUL behind it. */
void api_key_new(char ret_key[static API_KEY_LENGTH + 1]);

/* Whether form and checksum are right. Any other text was never a key, and the database need not be
 * asked. */
bool api_key_is_well_formed(struct str key);

/* A new key for a device's URLs, with a NUL behind it. */
void link_key_new(char ret_key[static LINK_KEY_LENGTH + 1]);

bool link_key_is_well_formed(struct str key);

/* SHA-256 of the whole key. */
void key_hash(struct str key, uint8_t ret_hash[static KEY_HASH_BYTES]);

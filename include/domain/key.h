/* Secrets that are handed out once and stored as SHA-256 only. */
#pragma once

#include <text/str.h>

#include <stdint.h>

enum {
	KEY_HASH_BYTES = 32,
	/* "ddk_", 30 random base62 characters, 6 characters of CRC-32 */
	API_KEY_LENGTH = 4 + 30 + 6,
	/* 24 random base62 characters: a panel's URL is at most 128 characters long */
	LINK_KEY_LENGTH = 24,
	/* 256 random bits in base62: of a session's cookie and of a one-time link */
	TOKEN_LENGTH = 43,
	/* first characters of an API key, which identify it in a list */
	API_KEY_SHOWN_LENGTH = 8,
};

/* Makes a new API key, followed by a NUL. */
void api_key_new(char ret_key[static API_KEY_LENGTH + 1]);

/* Whether form and checksum are right. Other texts were never keys, and need no query. */
bool api_key_is_well_formed(struct str key);

/* Makes a new key for a device's URLs, followed by a NUL. */
void link_key_new(char ret_key[static LINK_KEY_LENGTH + 1]);

bool link_key_is_well_formed(struct str key);

/* Makes a new token, followed by a NUL. */
void token_new(char ret_token[static TOKEN_LENGTH + 1]);

bool token_is_well_formed(struct str token);

/* SHA-256 of the whole key or token. */
void key_hash(struct str key, uint8_t ret_hash[static KEY_HASH_BYTES]);

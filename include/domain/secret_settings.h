/* Encryption of secret settings (passwords and keys for services that an app uses) in the database.
 *
 *   settings_write() -> settings_encrypt() -> installation.secret_settings -> settings_decrypt()
 *
 * An instance has one key. Each installation's key is derived from it, so that settings encrypted
 * for one installation cannot be decrypted for another. The cipher is libsodium's secretbox with a
 * random nonce, so changed texts cannot be decrypted either. */
#pragma once

#include "base/arena.h"
#include "base/buffer.h"
#include "base/id.h"

#include <stdint.h>

enum { SETTINGS_KEY_BYTES = 32, SETTINGS_HASH_BYTES = 32 };

struct settings_key {
	uint8_t bytes[SETTINGS_KEY_BYTES];
};

/* Appends the encrypted settings. installation: its ID on the device. */
void settings_encrypt(const struct settings_key *key, struct id device, struct str installation,
		      struct str json, struct buffer *ret_encrypted);

/* Decrypts into the arena. Returns false if the text was encrypted for another installation or with
 * another key, or was changed. */
__attribute__((warn_unused_result)) bool settings_decrypt(const struct settings_key *key,
							  struct id device, struct str installation,
							  struct str encrypted, struct arena *arena,
							  struct str *ret_json);

/* Used instead of an installation's ID to encrypt the second key of a device: no installation has
 * this ID. */
#define ORDER_KEY_LABEL "/second-key"

/* Writes a fingerprint that identifies a key without revealing it: site.secret_key_fingerprint. */
void settings_key_fingerprint(const struct settings_key *key,
			      uint8_t ret_fingerprint[static SETTINGS_KEY_BYTES]);

/* Message for the owner of the installation if decryption fails. */
extern const char settings_open_failed[];

/* Computes installation.settings_hash: equal settings have equal hashes. json: the canonical text
 * of all settings. If some are secret, the hash is keyed, so that secrets cannot be guessed from
 * it; else key may be NULL. */
void settings_hash(const struct settings_key *key, struct str json, bool has_secret,
		   uint8_t ret_hash[static SETTINGS_HASH_BYTES]);

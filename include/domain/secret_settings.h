/* Settings that are secret (passwords and keys for services that an app asks), encrypted as the
 * database keeps them.
 *
 *   settings_write() -> settings_encrypt() -> installation.secret_settings -> settings_decrypt()
 *
 * One key for all of an instance; from it each installation has a key of its own, so that what is
 * encrypted for one is decrypted for no other. libsodium's secretbox with a random nonce: what was
 * changed does not open either. */
#pragma once

#include "base/arena.h"
#include "base/buffer.h"
#include "base/id.h"

#include <stdint.h>

enum { SETTINGS_KEY_BYTES = 32, SETTINGS_HASH_BYTES = 32 };

struct settings_key {
	uint8_t bytes[SETTINGS_KEY_BYTES];
};

/* Appends to ret_sealed. installation: its ID on the device. */
void settings_encrypt(const struct settings_key *key, struct id device, struct str installation,
		      struct str json, struct buffer *ret_encrypted);

/* Decrypts into the arena. False: the text was encrypted for another installation, with another
 * key, or was changed. */
__attribute__((warn_unused_result)) bool settings_decrypt(const struct settings_key *key,
							  struct id device, struct str installation,
							  struct str encrypted, struct arena *arena,
							  struct str *ret_json);

/* Stands in place of an installation's ID where the second key of a device is encrypted: no
 * installation has this ID. */
#define ORDER_KEY_LABEL "/second-key"

/* Fingerprint that identifies a key and reveals nothing of it: site.secret_key_fingerprint. */
void settings_key_fingerprint(const struct settings_key *key,
			      uint8_t ret_fingerprint[static SETTINGS_KEY_BYTES]);

/* Why, in words for the owner of the installation. */
extern const char settings_open_failed[];

/* installation.settings_hash: equal ones belong to equal settings. json: the canonical text of all
 * of them. Where some are secret it is keyed, so that nobody who reads it can try secrets; else
 * key may be NULL. */
void settings_hash(const struct settings_key *key, struct str json, bool has_secret,
		   uint8_t ret_hash[static SETTINGS_HASH_BYTES]);

/* Caches the SHA-256 of keys that requests repeat, in a table in memory, which saves 3,500
 * instructions a request.
 *
 * The table holds no key. Its tags are the keys' SipHash of 128 bits with a secret of this process:
 * nobody else can find two texts of one tag, or learn from the time of a look-up how near a guess
 * came. Only the loop's thread uses it. */
#pragma once

#include "domain/key.h"

/* Returns the same hash as key_hash(). */
void key_hash_again(struct str key, uint8_t ret_hash[static KEY_HASH_BYTES]);

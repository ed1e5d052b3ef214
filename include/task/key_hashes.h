/* SHA-256 of the keys that requests repeat: a table in memory has most of them, so that a request
 * does not pay the 3,500 instructions again.
 *
 * The table holds no key. Its tags are the keys' SipHash of 128 bits with a secret of this process:
 * nobody else can find two texts of one tag, or learn from the time of a look-up how near a guess
 * came. One thread uses it, that of the loop. */
#pragma once

#include "domain/key.h"

/* Returns the same hash as key_hash(). */
void key_hash_again(struct str key, uint8_t ret_hash[static KEY_HASH_BYTES]);

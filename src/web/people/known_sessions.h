/* Table of sessions that were found in the database, in memory that the workers of an instance
 * share: it distinguishes invented cookies from valid ones without a query (src/web/access.c). It
 * does not authenticate; the database does, each time.
 *
 * The table has a fixed size. A session lies in a neighbourhood of a few slots, of which an account
 * has a share: if it has used that, its own least recently seen session is replaced, else
 * anybody's. A replaced session is unknown, and is found again unless its address has made too many
 * failed attempts. Atomics, no locks: if workers race, a session is forgotten at worst. */
#pragma once

#include "base/id.h"
#include "domain/key.h"
#include "web/web.h"

#include <stdbool.h>

/* now_us: monotonic, the same clock in all processes. */
void known_sessions_add(struct known_sessions *known, const uint8_t hash[static KEY_HASH_BYTES],
			struct id account_id, uint64_t now_us);
bool known_sessions_has(const struct known_sessions *known,
			const uint8_t hash[static KEY_HASH_BYTES]);
void known_sessions_forget(struct known_sessions *known, const uint8_t hash[static KEY_HASH_BYTES]);

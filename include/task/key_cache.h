/* API keys that this worker has seen, by the SHA-256 of the key.
 *
 * A revocation, or a change of the key's scope, arrives as a hint. While hints may be missing,
 * because their connection is down or silent, entries live 750 ms: a revoked key stops working
 * within a second in any case. */
#pragma once

#include "base/id.h"
#include "db/hints.h"
#include "domain/api_key.h"
#include "domain/key.h"
#include "loop/loop.h"

struct key_cache;

struct key_cache *key_cache_create(struct loop *loop);
void key_cache_destroy(struct key_cache *cache);

/* Account and limits of a key. The bytes of its scope belong to the cache, and are valid until the
 * key is inserted again or forgotten: copy them before returning to the loop. */
struct key_known {
	struct id account_id;
	struct key_scope scope;
};

/* Finds a key. Returns NULL if it is not known, no longer fresh, or has ended. A key that is no
 * longer fresh stays known until it is inserted again or forgotten. */
const struct key_known *key_cache_find(struct key_cache *cache,
				       const uint8_t hash[static KEY_HASH_BYTES], int64_t wall_us);

/* Whether the key was valid when this worker last heard of it. */
bool key_cache_knows(const struct key_cache *cache, const uint8_t hash[static KEY_HASH_BYTES]);

/* Call it if the database does not know the key. */
void key_cache_forget(struct key_cache *cache, const uint8_t hash[static KEY_HASH_BYTES]);

/* Moment before the query for a key. */
struct key_moment {
	uint64_t epoch; /* grows with each hint, and if hints may have been missed */
	uint64_t ms;	/* time of the loop */
};

/* Call it before the query for the key, and pass the moment to key_cache_insert(), which ignores a
 * result if a revocation or a change arrived during the query. The known is copied. */
struct key_moment key_cache_now(const struct key_cache *cache);
void key_cache_insert(struct key_cache *cache, const uint8_t hash[static KEY_HASH_BYTES],
		      const struct key_known *known, struct key_moment asked);

/* Subscription for db_subscribe(): hints "key:<hex of the hash>". Lives as long as the cache. */
struct hint_subscription *key_cache_subscription(struct key_cache *cache);

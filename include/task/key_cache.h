/* API keys that this worker has seen, by the SHA-256 of the key.
 *
 * A revocation, or a change of what the key is for, reaches it as a hint. Where hints may be
 * missing, because their connection is down or has shown no sign of life for a moment, entries live
 * 750 ms: a key that is revoked stops working within a second, whatever becomes of hints. */
#pragma once

#include "base/id.h"
#include "db/hints.h"
#include "domain/api_key.h"
#include "domain/key.h"
#include "loop/loop.h"

struct key_cache;

struct key_cache *key_cache_create(struct loop *loop);
void key_cache_destroy(struct key_cache *cache);

/* Account and limits of a key. The bytes of its scope are the cache's, and stay until the key is
 * inserted again or forgotten: copy them before the loop goes on. */
struct key_known {
	struct id account_id;
	struct key_scope scope;
};

/* NULL: the key is not known, is no longer fresh, or has ended. One that is no longer fresh stays
 * known until it is inserted again or forgotten. */
const struct key_known *key_cache_find(struct key_cache *cache,
				       const uint8_t hash[static KEY_HASH_BYTES], int64_t wall_us);

/* Whether it was valid when this worker last heard of it. */
bool key_cache_knows(const struct key_cache *cache, const uint8_t hash[static KEY_HASH_BYTES]);

/* The database does not know the key. */
void key_cache_forget(struct key_cache *cache, const uint8_t hash[static KEY_HASH_BYTES]);

/* Moment when the database was asked for a key. */
struct key_moment {
	uint64_t epoch; /* grows with each hint, and where some may have been missed */
	uint64_t ms;	/* of the loop */
};

/* Take it before the query for the key, and give it to key_cache_insert(): the cache does not keep
 * a result that was under way while a revocation or a change came in. The known is copied. */
struct key_moment key_cache_now(const struct key_cache *cache);
void key_cache_insert(struct key_cache *cache, const uint8_t hash[static KEY_HASH_BYTES],
		      const struct key_known *known, struct key_moment asked);

/* Subscription for db_subscribe(): hints "key:<hex of the hash>". Lives as long as the cache. */
struct hint_subscription *key_cache_subscription(struct key_cache *cache);

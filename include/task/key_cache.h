/* API keys that this worker has seen, by the SHA-256 of the key.
 *
 * A revocation reaches it as a hint. Where hints may be missing, because their connection is down
 * or has shown no sign of life for a moment, entries live 750 ms: a key that is revoked stops
 * working within a second, whatever becomes of hints. */
#pragma once

#include "base/id.h"
#include "db/hints.h"
#include "domain/key.h"
#include "loop/loop.h"

struct key_cache;

struct key_cache *key_cache_create(struct loop *loop);
void key_cache_destroy(struct key_cache *cache);

/* True with the account of the key, when it is known and fresh. A key that is no longer fresh stays
 * known until it is inserted again or forgotten. */
bool key_cache_find(struct key_cache *cache, const uint8_t hash[static KEY_HASH_BYTES],
		    struct id *ret_account_id);

/* Whether it was valid when this worker last heard of it. */
bool key_cache_knows(const struct key_cache *cache, const uint8_t hash[static KEY_HASH_BYTES]);

/* The database does not know the key. */
void key_cache_forget(struct key_cache *cache, const uint8_t hash[static KEY_HASH_BYTES]);

/* Moment when the database was asked for a key. */
struct key_moment {
	uint64_t epoch; /* grows with each revocation, and where some may have been missed */
	uint64_t ms;	/* of the loop */
};

/* Take it before the query for the key, and give it to key_cache_insert(): the cache does not keep
 * a result that was under way while a revocation came in. */
struct key_moment key_cache_now(const struct key_cache *cache);
void key_cache_insert(struct key_cache *cache, const uint8_t hash[static KEY_HASH_BYTES],
		      struct id account_id, struct key_moment asked);

/* Subscription for db_subscribe(): hints "key:<hex of the hash>". Lives as long as the cache. */
struct hint_subscription *key_cache_subscription(struct key_cache *cache);

/* API keys that this worker has seen, by the SHA-256 of the key.
 *
 * A revocation reaches it as a hint within a second. While the hint connection is down, entries
 * live 2 s at most. */
#pragma once

#include "base/id.h"
#include "db/hints.h"
#include "domain/key.h"
#include "loop/loop.h"

struct key_cache;

struct key_cache *key_cache_create(struct loop *loop);
void key_cache_destroy(struct key_cache *cache);

/* True with the account of the key, when it is known and fresh. */
bool key_cache_find(struct key_cache *cache, const uint8_t hash[static KEY_HASH_BYTES],
		    struct id *ret_account_id);

/* Take it before the query for the key, and give it to key_cache_insert(): the cache does not keep
 * a result that was under way while a revocation came in. */
uint64_t key_cache_epoch(const struct key_cache *cache);
void key_cache_insert(struct key_cache *cache, const uint8_t hash[static KEY_HASH_BYTES],
		      struct id account_id, uint64_t epoch);

/* For db_subscribe(): hints "key:<hex of the hash>". Lives as long as the cache. */
struct hint_subscription *key_cache_subscription(struct key_cache *cache);

/* A cache of answers, bounded in bytes: the least recently used are dropped first. */
#pragma once

#include "reply.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { KEY_BYTES = 32 };

/* Hash of everything that the answer of a request depends on, the app's version included. */
struct key {
	unsigned char bytes[KEY_BYTES];
};

static inline bool key_is_same(const struct key *a, const struct key *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

struct cache;

/* Returns NULL if there is no memory. */
struct cache *cache_create(size_t bytes_max) __attribute__((warn_unused_result));
void cache_destroy(struct cache *cache);

/* Returns the cached reply, or NULL; it is valid until the next call. */
const struct reply *cache_find(struct cache *cache, const struct key *key, int64_t now_ms);

/* Stores a copy until until_ms. A reply larger than an eighth of the cache is not stored, and none
 * if there is no memory. */
void cache_keep(struct cache *cache, const struct key *key, const struct reply *reply,
		int64_t until_ms);

size_t cache_bytes(const struct cache *cache);

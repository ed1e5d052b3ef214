#include "task/key_cache.h"
#include "base/hex.h"
#include "base/map.h"

#include <stdlib.h>

enum {
	ENTRIES_MAX = 10000,
	FRESH_MS = 5 * 60 * 1000,
	FRESH_WITHOUT_HINTS_MS = 2000,
};

struct key_entry {
	struct map_node node; /* key: hash */
	struct list by_age;   /* oldest first */
	uint64_t inserted_ms;
	struct id account_id;
	uint8_t hash[KEY_HASH_BYTES];
};

struct key_cache {
	struct loop *loop;
	struct map entries;
	struct list by_age;
	uint64_t epoch;
	bool hints_are_up;
	struct hint_subscription hints;
};

static void entry_destroy(struct key_cache *cache, struct key_entry *entry)
{
	map_remove(&cache->entries, &entry->node);
	list_remove(&entry->by_age);
	free(entry);
}

static void forget_all(struct key_cache *cache)
{
	list_for_each (node, &cache->by_age)
		entry_destroy(cache, container_of(node, struct key_entry, by_age));
}

void key_cache_destroy(struct key_cache *cache)
{
	if (!cache)
		return;
	db_unsubscribe(&cache->hints);
	forget_all(cache);
	map_finish(&cache->entries);
	free(cache);
}

static struct str hash_view(const uint8_t *hash)
{
	return (struct str){(const char *)hash, KEY_HASH_BYTES};
}

static struct key_entry *entry_find(struct key_cache *cache, const uint8_t *hash)
{
	struct map_node *node = map_find(&cache->entries, hash_view(hash));

	return node ? container_of(node, struct key_entry, node) : NULL;
}

bool key_cache_find(struct key_cache *cache, const uint8_t hash[static KEY_HASH_BYTES],
		    struct id *ret_account_id)
{
	struct key_entry *entry = entry_find(cache, hash);
	uint64_t fresh_ms = cache->hints_are_up ? FRESH_MS : FRESH_WITHOUT_HINTS_MS;

	if (!entry)
		return false;
	if (loop_now_ms(cache->loop) - entry->inserted_ms >= fresh_ms) {
		entry_destroy(cache, entry);
		return false;
	}
	*ret_account_id = entry->account_id;
	return true;
}

uint64_t key_cache_epoch(const struct key_cache *cache)
{
	return cache->epoch;
}

void key_cache_insert(struct key_cache *cache, const uint8_t hash[static KEY_HASH_BYTES],
		      struct id account_id, uint64_t epoch)
{
	struct key_entry *entry;

	if (epoch != cache->epoch || entry_find(cache, hash))
		return;
	if (cache->entries.count >= ENTRIES_MAX)
		entry_destroy(cache, container_of(cache->by_age.next, struct key_entry, by_age));
	entry = memory_zalloc(sizeof(*entry));
	entry->inserted_ms = loop_now_ms(cache->loop);
	entry->account_id = account_id;
	memcpy(entry->hash, hash, KEY_HASH_BYTES);
	map_insert(&cache->entries, &entry->node, hash_view(entry->hash));
	list_append(&cache->by_age, &entry->by_age);
}

static void on_hint(struct hint_subscription *hints, struct str hash_hex)
{
	struct key_cache *cache = container_of(hints, struct key_cache, hints);
	uint8_t hash[KEY_HASH_BYTES];
	struct key_entry *entry;

	cache->epoch++;
	if (!hex_decode(hash_hex, hash, sizeof(hash)))
		return;
	entry = entry_find(cache, hash);
	if (entry)
		entry_destroy(cache, entry);
}

static void on_hints_up(struct hint_subscription *hints, bool up)
{
	struct key_cache *cache = container_of(hints, struct key_cache, hints);

	cache->hints_are_up = up;
	cache->epoch++;
	/* Revocations that came while the connection was down are not known: start anew. */
	if (up)
		forget_all(cache);
}

struct key_cache *key_cache_create(struct loop *loop)
{
	struct key_cache *cache = memory_zalloc(sizeof(*cache));

	cache->loop = loop;
	list_init(&cache->by_age);
	cache->hints = (struct hint_subscription){
	    .kind = "key",
	    .on_hint = on_hint,
	    .on_up = on_hints_up,
	};
	list_init(&cache->hints.node);
	return cache;
}

struct hint_subscription *key_cache_subscription(struct key_cache *cache)
{
	return &cache->hints;
}

#include "task/key_cache.h"
#include "base/hex.h"
#include "base/map.h"

#include <stdlib.h>

enum {
	ENTRIES_MAX = 10000,
	FRESH_MS = 5 * 60 * 1000,
	/* The hint connection answers every 250 ms; on a busy machine it may miss one. */
	FRESH_WITHOUT_HINTS_MS = 750,
};

struct cached_key {
	struct map_node node; /* key: hash */
	struct list by_age;   /* oldest first */
	uint64_t asked_ms;    /* the database knew the key then or later */
	struct key_known known;
	uint8_t hash[KEY_HASH_BYTES];
	char devices[]; /* of the known scope */
};

struct key_cache {
	struct loop *loop;
	struct map entries;
	struct list by_age;
	uint64_t epoch;
	uint64_t heard_ms; /* all hints before this time have arrived */
	struct hint_subscription hints;
};

static void entry_destroy(struct key_cache *cache, struct cached_key *entry)
{
	map_remove(&cache->entries, &entry->node);
	list_remove(&entry->by_age);
	free(entry);
}

static void forget_all(struct key_cache *cache)
{
	list_for_each (node, &cache->by_age)
		entry_destroy(cache, container_of(node, struct cached_key, by_age));
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

static struct cached_key *entry_find(const struct key_cache *cache, const uint8_t *hash)
{
	struct map_node *node = map_find(&cache->entries, hash_view(hash));

	return node ? container_of(node, struct cached_key, node) : NULL;
}

static bool is_fresh(const struct key_cache *cache, const struct cached_key *entry)
{
	uint64_t now_ms = loop_now_ms(cache->loop);
	uint64_t valid_ms = entry->asked_ms > cache->heard_ms ? entry->asked_ms : cache->heard_ms;

	return now_ms - entry->asked_ms < FRESH_MS && now_ms - valid_ms < FRESH_WITHOUT_HINTS_MS;
}

const struct key_known *key_cache_find(struct key_cache *cache,
				       const uint8_t hash[static KEY_HASH_BYTES], int64_t wall_us)
{
	struct cached_key *entry = entry_find(cache, hash);

	if (!entry || !is_fresh(cache, entry) || key_scope_has_ended(&entry->known.scope, wall_us))
		return NULL;
	return &entry->known;
}

bool key_cache_knows(const struct key_cache *cache, const uint8_t hash[static KEY_HASH_BYTES])
{
	return entry_find(cache, hash) != NULL;
}

void key_cache_forget(struct key_cache *cache, const uint8_t hash[static KEY_HASH_BYTES])
{
	struct cached_key *entry = entry_find(cache, hash);

	if (entry)
		entry_destroy(cache, entry);
}

struct key_moment key_cache_now(const struct key_cache *cache)
{
	return (struct key_moment){cache->epoch, loop_now_ms(cache->loop)};
}

void key_cache_insert(struct key_cache *cache, const uint8_t hash[static KEY_HASH_BYTES],
		      const struct key_known *known, struct key_moment asked)
{
	struct str devices = known->scope.devices;
	struct cached_key *entry;

	if (asked.epoch != cache->epoch)
		return;
	key_cache_forget(cache, hash);
	if (cache->entries.count >= ENTRIES_MAX)
		entry_destroy(cache, container_of(cache->by_age.next, struct cached_key, by_age));
	entry = memory_zalloc(sizeof(*entry) + devices.length);
	entry->asked_ms = asked.ms;
	entry->known = *known;
	if (devices.length)
		memcpy(entry->devices, devices.data, devices.length);
	entry->known.scope.devices.data = entry->devices;
	memcpy(entry->hash, hash, KEY_HASH_BYTES);
	map_insert(&cache->entries, &entry->node, hash_view(entry->hash));
	list_append(&cache->by_age, &entry->by_age);
}

static void on_hint(struct hint_subscription *hints, struct str hash_hex)
{
	struct key_cache *cache = container_of(hints, struct key_cache, hints);
	uint8_t hash[KEY_HASH_BYTES];
	struct cached_key *entry;

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

	cache->epoch++;
	/* Hints sent while the connection was down are lost: empty the cache. */
	if (up)
		forget_all(cache);
}

static void on_heard(struct hint_subscription *hints, uint64_t before_ms)
{
	container_of(hints, struct key_cache, hints)->heard_ms = before_ms;
}

struct key_cache *key_cache_create(struct loop *loop)
{
	struct key_cache *cache = memory_zalloc(sizeof(*cache));

	cache->loop = loop;
	list_init(&cache->by_age);
	cache->hints = (struct hint_subscription){
	    .kind = STR("key"),
	    .on_hint = on_hint,
	    .on_up = on_hints_up,
	    .on_heard = on_heard,
	};
	list_init(&cache->hints.node);
	return cache;
}

struct hint_subscription *key_cache_subscription(struct key_cache *cache)
{
	return &cache->hints;
}

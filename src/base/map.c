#include "base/map.h"
#include "base/memory.h"
#include "base/require.h"

#include <sodium.h>
#include <stdlib.h>

enum { BUCKETS_MIN = 16 };

static uint64_t hash_of(struct str key)
{
	static uint8_t secret[crypto_shorthash_KEYBYTES];
	static bool ready;
	uint64_t hash;

	if (!ready) {
		crypto_shorthash_keygen(secret);
		ready = true;
	}
	crypto_shorthash((uint8_t *)&hash, (const uint8_t *)key.data, key.length, secret);
	return hash;
}

static struct map_node **bucket_of(const struct map *map, uint64_t hash)
{
	return &map->buckets[hash & (map->bucket_count - 1)];
}

void map_finish(struct map *map)
{
	free(map->buckets);
	*map = (struct map){0};
}

struct map_node *map_find(const struct map *map, struct str key)
{
	uint64_t hash;

	if (map->count == 0)
		return NULL;
	hash = hash_of(key);
	for (struct map_node *node = *bucket_of(map, hash); node; node = node->next) {
		if (node->hash == hash && str_equal(node->key, key))
			return node;
	}
	return NULL;
}

static void grow(struct map *map)
{
	struct map old = *map;

	map->bucket_count = old.bucket_count ? old.bucket_count * 2 : BUCKETS_MIN;
	map->buckets = memory_zalloc(map->bucket_count * sizeof(map->buckets[0]));
	for (size_t i = 0; i < old.bucket_count; i++) {
		struct map_node *node = old.buckets[i];

		while (node) {
			struct map_node *next = node->next;
			struct map_node **bucket = bucket_of(map, node->hash);

			node->next = *bucket;
			*bucket = node;
			node = next;
		}
	}
	free(old.buckets);
}

void map_insert(struct map *map, struct map_node *node, struct str key)
{
	struct map_node **bucket;

	if (map->count >= map->bucket_count)
		grow(map);
	node->key = key;
	node->hash = hash_of(key);
	bucket = bucket_of(map, node->hash);
	node->next = *bucket;
	*bucket = node;
	map->count++;
}

void map_remove(struct map *map, struct map_node *node)
{
	struct map_node **link = bucket_of(map, node->hash);

	while (*link != node) {
		require(*link);
		link = &(*link)->next;
	}
	*link = node->next;
	map->count--;
}

struct map_node *map_next(const struct map *map, const struct map_node *node)
{
	size_t i = 0;

	if (node) {
		if (node->next)
			return node->next;
		i = (node->hash & (map->bucket_count - 1)) + 1;
	}
	for (; i < map->bucket_count; i++) {
		if (map->buckets[i])
			return map->buckets[i];
	}
	return NULL;
}

#include "cache.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024, ENTRY_PART = 8 };

struct entry {
	struct key key;
	struct reply reply;
	int64_t until_ms;
	struct entry *next;	     /* next entry in its bucket */
	struct entry *newer, *older; /* neighbours in the order of use */
};

struct cache {
	struct entry *buckets[BUCKETS];
	struct entry *newest, *oldest;
	size_t bytes, bytes_max;
};

struct cache *cache_create(size_t bytes_max)
{
	struct cache *cache = memory_take(sizeof(*cache));

	if (cache)
		cache->bytes_max = bytes_max;
	return cache;
}

/* A key is a hash already. */
static struct entry **bucket_of(struct cache *cache, const struct key *key)
{
	return &cache->buckets[(key->bytes[0] | key->bytes[1] << 8) % BUCKETS];
}

static size_t entry_bytes(const struct entry *entry)
{
	return sizeof(*entry) + entry->reply.members.length + entry->reply.body.length;
}

static void unlink_use(struct cache *cache, struct entry *entry)
{
	*(entry->newer ? &entry->newer->older : &cache->newest) = entry->older;
	*(entry->older ? &entry->older->newer : &cache->oldest) = entry->newer;
}

static void link_use(struct cache *cache, struct entry *entry)
{
	entry->newer = NULL;
	entry->older = cache->newest;
	*(entry->older ? &entry->older->newer : &cache->oldest) = entry;
	cache->newest = entry;
}

static void drop(struct cache *cache, struct entry *entry)
{
	struct entry **at = bucket_of(cache, &entry->key);

	while (*at != entry)
		at = &(*at)->next;
	*at = entry->next;
	unlink_use(cache, entry);
	cache->bytes -= entry_bytes(entry);
	reply_finish(&entry->reply);
	free(entry);
}

void cache_destroy(struct cache *cache)
{
	while (cache->newest)
		drop(cache, cache->newest);
	free(cache);
}

static struct entry *find(struct cache *cache, const struct key *key)
{
	struct entry *entry = *bucket_of(cache, key);

	while (entry && memcmp(&entry->key, key, sizeof(*key)) != 0)
		entry = entry->next;
	return entry;
}

const struct reply *cache_find(struct cache *cache, const struct key *key, int64_t now_ms)
{
	struct entry *entry = find(cache, key);

	if (!entry)
		return NULL;
	if (entry->until_ms <= now_ms) {
		drop(cache, entry);
		return NULL;
	}
	unlink_use(cache, entry);
	link_use(cache, entry);
	return &entry->reply;
}

/* Returns a new entry with a copy of the reply, or NULL. */
static struct entry *copy(const struct reply *reply)
{
	struct entry *entry = memory_take(sizeof(*entry));

	if (!entry)
		return NULL;
	bytes_add(&entry->reply.members, reply->members.data, reply->members.length);
	bytes_add(&entry->reply.body, reply->body.data, reply->body.length);
	if (!entry->reply.members.failed && !entry->reply.body.failed)
		return entry;
	reply_finish(&entry->reply);
	free(entry);
	return NULL;
}

void cache_keep(struct cache *cache, const struct key *key, const struct reply *reply,
		int64_t until_ms)
{
	size_t bytes = sizeof(struct entry) + reply->members.length + reply->body.length;
	struct entry *entry = find(cache, key);

	if (entry)
		drop(cache, entry);
	if (bytes > cache->bytes_max / ENTRY_PART)
		return;
	while (cache->oldest && cache->bytes + bytes > cache->bytes_max)
		drop(cache, cache->oldest);
	entry = copy(reply);
	if (!entry)
		return;
	entry->key = *key;
	entry->until_ms = until_ms;
	entry->next = *bucket_of(cache, key);
	*bucket_of(cache, key) = entry;
	link_use(cache, entry);
	cache->bytes += bytes;
}

size_t cache_bytes(const struct cache *cache)
{
	return cache->bytes;
}

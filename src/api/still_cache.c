#include "api/still_cache.h"
#include "base/limits.h"
#include "base/list.h"
#include "base/map.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Longest base64 that is cached: hashing it takes at most 50 us of the loop. */
enum { TEXT_MAX_BYTES = 64 * 1024 };

struct still {
	struct map_node node; /* key: the base64 */
	struct list by_use;   /* in its account's stills_by_use */
	bool is_quick;
	size_t bytes;			 /* bytes of this struct and of the data after it */
	struct panelimage_result result; /* its data follows the base64 */
	char text[];
};

struct still_account {
	struct map_node node; /* key: id */
	struct list by_use;   /* in the cache's list */
	struct map stills;
	struct list stills_by_use; /* the oldest first */
	size_t bytes;
	struct id id;
};

struct still_cache {
	struct map accounts;
	struct list by_use; /* the oldest first */
	size_t bytes;
};

static struct str id_view(const struct id *id)
{
	return (struct str){(const char *)id->bytes, sizeof(id->bytes)};
}

static struct still_account *account_find(const struct still_cache *cache, struct id id)
{
	struct map_node *node = map_find(&cache->accounts, id_view(&id));

	return node ? container_of(node, struct still_account, node) : NULL;
}

static struct still *still_find(const struct still_account *account, struct str base64)
{
	struct map_node *node = map_find(&account->stills, base64);

	return node ? container_of(node, struct still, node) : NULL;
}

static void to_end(struct list *head, struct list *node)
{
	list_remove(node);
	list_append(head, node);
}

static void still_destroy(struct still_cache *cache, struct still_account *account,
			  struct still *still)
{
	map_remove(&account->stills, &still->node);
	list_remove(&still->by_use);
	account->bytes -= still->bytes;
	cache->bytes -= still->bytes;
	free(still);
}

static void account_destroy(struct still_cache *cache, struct still_account *account)
{
	list_for_each (node, &account->stills_by_use)
		still_destroy(cache, account, container_of(node, struct still, by_use));
	map_remove(&cache->accounts, &account->node);
	list_remove(&account->by_use);
	map_finish(&account->stills);
	free(account);
}

static struct still_account *account_create(struct still_cache *cache, struct id id)
{
	struct still_account *account = memory_zalloc(sizeof(*account));

	account->id = id;
	list_init(&account->stills_by_use);
	map_insert(&cache->accounts, &account->node, id_view(&account->id));
	list_append(&cache->by_use, &account->by_use);
	return account;
}

struct still_cache *still_cache_create(void)
{
	struct still_cache *cache = memory_zalloc(sizeof(*cache));

	list_init(&cache->by_use);
	return cache;
}

void still_cache_destroy(struct still_cache *cache)
{
	if (!cache)
		return;
	list_for_each (node, &cache->by_use)
		account_destroy(cache, container_of(node, struct still_account, by_use));
	map_finish(&cache->accounts);
	free(cache);
}

const struct panelimage_result *still_cache_find(struct still_cache *cache, struct id account_id,
						 struct str base64, bool takes_quick)
{
	struct still_account *account = account_find(cache, account_id);
	struct still *still =
	    account && base64.length <= TEXT_MAX_BYTES ? still_find(account, base64) : NULL;

	if (!still || (still->is_quick && !takes_quick))
		return NULL;
	to_end(&cache->by_use, &account->by_use);
	to_end(&account->stills_by_use, &still->by_use);
	return &still->result;
}

/* Copies both. The still is in no list yet. Returns NULL if there is no memory. */
static struct still *still_create(struct str base64, const struct panelimage_result *result)
{
	size_t bytes = sizeof(struct still) + base64.length + result->size;
	struct still *still = malloc(bytes);

	if (!still)
		return NULL;
	*still = (struct still){.bytes = bytes, .result = *result};
	memcpy(still->text, base64.data, base64.length);
	still->result.data = (uint8_t *)still->text + base64.length;
	memcpy(still->result.data, result->data, result->size);
	return still;
}

static void make_room(struct still_cache *cache, struct still_account *account)
{
	while (account->bytes > LIMIT_ACCOUNT_STILLS_BYTES)
		still_destroy(cache, account,
			      container_of(account->stills_by_use.next, struct still, by_use));
	while (cache->bytes > LIMIT_STILLS_BYTES)
		account_destroy(cache,
				container_of(cache->by_use.next, struct still_account, by_use));
}

void still_cache_keep(struct still_cache *cache, struct id account_id, struct str base64,
		      const struct panelimage_result *result, bool is_quick)
{
	struct still_account *account;
	struct still *still, *before;

	if (result->info.animated || base64.length > TEXT_MAX_BYTES)
		return;
	still = still_create(base64, result);
	if (!still)
		return;
	still->is_quick = is_quick;
	account = account_find(cache, account_id);
	if (!account)
		account = account_create(cache, account_id);
	before = still_find(account, base64);
	if (before)
		still_destroy(cache, account, before);
	map_insert(&account->stills, &still->node, (struct str){still->text, base64.length});
	list_append(&account->stills_by_use, &still->by_use);
	to_end(&cache->by_use, &account->by_use);
	account->bytes += still->bytes;
	cache->bytes += still->bytes;
	make_room(cache, account);
}

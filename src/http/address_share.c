#include "http/address_share.h"
#include "base/map.h"
#include "base/memory.h"

#include <stdlib.h>

enum { HELD_FOR_EACH_FREE = 3 };

struct address_share {
	struct map_node node; /* key: subscriber */
	struct address subscriber;
	unsigned held;
	struct http_unsent_share unsent;
};

static struct map shares;

struct address_share *address_share_join(const struct address *address, unsigned free_connections)
{
	struct address subscriber = *address;
	struct address_share *share;
	struct map_node *node;

	address_cut_to_subscriber(&subscriber);
	node = map_find(&shares, (struct str){(const char *)subscriber.bytes, sizeof(subscriber)});
	share = node ? container_of(node, struct address_share, node) : NULL;
	if ((share ? share->held : 0) / HELD_FOR_EACH_FREE >= free_connections)
		return NULL;
	if (!share) {
		share = memory_zalloc(sizeof(*share));
		share->subscriber = subscriber;
		http_unsent_share_init(&share->unsent);
		map_insert(&shares, &share->node,
			   (struct str){(const char *)share->subscriber.bytes, sizeof(subscriber)});
	}
	share->held++;
	return share;
}

struct http_unsent_share *address_share_unsent(struct address_share *share)
{
	return share ? &share->unsent : NULL;
}

void address_share_leave(struct address_share *share)
{
	if (!share || --share->held > 0)
		return;
	map_remove(&shares, &share->node);
	free(share);
	if (shares.count == 0)
		map_finish(&shares);
}

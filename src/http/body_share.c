#include "http/body_share.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/require.h"

#include <stdlib.h>

struct body_share {
	struct map_node node;
	size_t bytes;
	unsigned bodies; /* that are counted here */
	char caller[];
};

static struct map shares;
static size_t all_bytes;

struct body_share *body_share_join(struct str caller)
{
	struct map_node *node = map_find(&shares, caller);
	struct body_share *share;

	if (node) {
		share = container_of(node, struct body_share, node);
	} else {
		share = memory_zalloc(sizeof(*share) + caller.length);
		memcpy(share->caller, caller.data, caller.length);
		map_insert(&shares, &share->node, (struct str){share->caller, caller.length});
	}
	share->bodies++;
	return share;
}

bool body_share_take(struct body_share *share, size_t bytes, size_t all_max)
{
	size_t free_bytes = all_max > all_bytes ? all_max - all_bytes : 0;

	if (bytes > free_bytes || share->bytes > free_bytes - bytes)
		return false;
	share->bytes += bytes;
	all_bytes += bytes;
	return true;
}

void body_share_leave(struct body_share *share, size_t bytes)
{
	require(share->bytes >= bytes);
	share->bytes -= bytes;
	all_bytes -= bytes;
	if (--share->bodies > 0)
		return;
	map_remove(&shares, &share->node);
	free(share);
	if (shares.count == 0)
		map_finish(&shares);
}

#include "base/pot.h"
#include "base/memory.h"
#include "base/require.h"

#include <stdlib.h>

struct pot_share {
	struct map_node node;
	struct pot *pot;
	size_t bytes;
	unsigned things; /* that are counted here */
	char owner[];
};

struct pot_share *pot_join(struct pot *pot, struct str owner)
{
	struct map_node *node = map_find(&pot->shares, owner);
	struct pot_share *share;

	if (node) {
		share = container_of(node, struct pot_share, node);
	} else {
		share = memory_zalloc(sizeof(*share) + owner.length);
		share->pot = pot;
		memcpy(share->owner, owner.data, owner.length);
		map_insert(&pot->shares, &share->node, (struct str){share->owner, owner.length});
	}
	share->things++;
	return share;
}

bool pot_take(struct pot_share *share, size_t bytes, size_t all_max)
{
	struct pot *pot = share->pot;
	size_t free_bytes = all_max > pot->bytes ? all_max - pot->bytes : 0;

	if (bytes > free_bytes || share->bytes > free_bytes - bytes)
		return false;
	share->bytes += bytes;
	pot->bytes += bytes;
	return true;
}

void pot_leave(struct pot_share *share, size_t bytes)
{
	struct pot *pot = share->pot;

	require(share->bytes >= bytes);
	share->bytes -= bytes;
	pot->bytes -= bytes;
	if (--share->things > 0)
		return;
	map_remove(&pot->shares, &share->node);
	free(share);
	if (pot->shares.count == 0)
		map_finish(&pot->shares);
}

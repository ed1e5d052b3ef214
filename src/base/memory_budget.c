#include "base/memory_budget.h"
#include "base/memory.h"
#include "base/require.h"

#include <stdlib.h>

struct memory_share {
	struct map_node node;
	struct memory_budget *budget;
	size_t bytes;
	unsigned things; /* objects that are counted here */
	char owner[];
};

struct memory_share *memory_budget_join(struct memory_budget *budget, struct str owner)
{
	struct map_node *node = map_find(&budget->shares, owner);
	struct memory_share *share;

	if (node) {
		share = container_of(node, struct memory_share, node);
	} else {
		share = memory_zalloc(sizeof(*share) + owner.length);
		share->budget = budget;
		memcpy(share->owner, owner.data, owner.length);
		map_insert(&budget->shares, &share->node, (struct str){share->owner, owner.length});
	}
	share->things++;
	return share;
}

bool memory_budget_take(struct memory_share *share, size_t bytes, size_t all_max)
{
	struct memory_budget *budget = share->budget;
	size_t free_bytes = all_max > budget->bytes ? all_max - budget->bytes : 0;

	if (bytes > free_bytes || share->bytes > free_bytes - bytes)
		return false;
	share->bytes += bytes;
	budget->bytes += bytes;
	return true;
}

void memory_budget_leave(struct memory_share *share, size_t bytes)
{
	struct memory_budget *budget = share->budget;

	require(share->bytes >= bytes);
	share->bytes -= bytes;
	budget->bytes -= bytes;
	if (--share->things > 0)
		return;
	map_remove(&budget->shares, &share->node);
	free(share);
	if (budget->shares.count == 0)
		map_finish(&budget->shares);
}

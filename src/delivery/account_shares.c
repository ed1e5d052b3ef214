#include "account_shares.h"
#include "base/memory.h"
#include "base/require.h"

#include <stdlib.h>

static struct str key_of(const struct id *id)
{
	return (struct str){(const char *)id->bytes, ID_BYTES};
}

void account_shares_finish(struct account_shares *shares)
{
	require(shares->by_account.count == 0);
	map_finish(&shares->by_account);
}

struct account_share *account_share_hold(struct account_shares *shares, struct id account_id)
{
	struct map_node *node = map_find(&shares->by_account, key_of(&account_id));
	struct account_share *share;

	if (node) {
		share = container_of(node, struct account_share, by_account);
	} else {
		share = memory_zalloc(sizeof(*share));
		share->shares = shares;
		share->account_id = account_id;
		list_init(&share->by_use);
		fair_flow_init(&share->loads);
		fair_flow_init(&share->updates);
		map_insert(&shares->by_account, &share->by_account, key_of(&share->account_id));
	}
	share->users++;
	return share;
}

void account_share_let_go(struct account_share *share)
{
	require(share->users > 0);
	if (--share->users)
		return;
	if (share->shares->largest == share)
		share->shares->largest = NULL;
	map_remove(&share->shares->by_account, &share->by_account);
	fair_flow_finish(&share->loads);
	fair_flow_finish(&share->updates);
	free(share);
}

struct account_share *account_share_join(struct account_shares *shares, struct id account_id,
					 struct list *by_use)
{
	struct account_share *share = account_share_hold(shares, account_id);

	list_append(&share->by_use, by_use);
	share->panel_count++;
	if (!shares->largest || share->panel_count > shares->largest->panel_count)
		shares->largest = share;
	return share;
}

void account_share_leave(struct account_share *share, struct list *by_use)
{
	list_remove(by_use);
	share->panel_count--;
}

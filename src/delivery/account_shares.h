/* Shares of accounts in a worker: the number of their panels, the memory of their pictures, and
 * their turns in its queues. Panels that were not loaded yet share one account. */
#pragma once

#include "base/id.h"
#include "base/map.h"
#include "loop/fair_queue.h"

struct account_share {
	struct map_node by_account;
	struct account_shares *shares;
	struct id account_id;
	unsigned users;	      /* panels and pictures; at 0 the share is freed */
	struct list by_use;   /* of struct panel, least recently used first */
	unsigned panel_count; /* in by_use */
	size_t picture_bytes; /* bytes of pictures that were first loaded for this account */
	struct fair_flow loads;
	struct fair_flow updates;
};

/* A zeroed struct is valid and empty. */
struct account_shares {
	struct map by_account;
	struct account_share *largest; /* roughly the share with most panels; NULL: not known */
};

/* Call it when all shares are gone. */
void account_shares_finish(struct account_shares *shares);

/* Returns the account's share, with one more user. The nil ID stands for panels that were not
 * loaded. */
struct account_share *account_share_hold(struct account_shares *shares, struct id account_id);
void account_share_let_go(struct account_share *share);
/* Works as account_share_hold(), for a panel, which is added to by_use with this node. */
struct account_share *account_share_join(struct account_shares *shares, struct id account_id,
					 struct list *by_use);
/* Removes a panel from by_use; its owner releases the share afterwards. */
void account_share_leave(struct account_share *share, struct list *by_use);

/* Shares of the accounts in a worker: the number of their panels, the memory of their pictures, and
 * their turns in its queues. Panels that were not loaded yet count as those of an account of their
 * own. */
#pragma once

#include "base/id.h"
#include "base/map.h"
#include "loop/fair_queue.h"

struct account_share {
	struct map_node by_account;
	struct account_shares *shares;
	struct id account_id;
	unsigned users;	      /* panels and pictures; without any, the share goes */
	struct list by_use;   /* of struct panel, least recently used first */
	unsigned panel_count; /* in by_use */
	size_t picture_bytes; /* of pictures that came for this account first */
	struct fair_flow loads;
	struct fair_flow updates;
};

/* A zeroed struct is a valid one without any. */
struct account_shares {
	struct map by_account;
	struct account_share *largest; /* about the one with most panels; NULL: not known */
};

/* All shares are gone. */
void account_shares_finish(struct account_shares *shares);

/* The account's share, with one user more. The nil ID: panels that were not loaded. */
struct account_share *account_share_hold(struct account_shares *shares, struct id account_id);
void account_share_let_go(struct account_share *share);
/* The same for a panel, whose place in by_use this is. */
struct account_share *account_share_join(struct account_shares *shares, struct id account_id,
					 struct list *by_use);
/* The panel no longer counts; its owner lets the share go afterwards. */
void account_share_leave(struct account_share *share, struct list *by_use);

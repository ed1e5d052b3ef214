#include "events/stream_shares.h"
#include "base/require.h"

#include <stdlib.h>

/* Streams of one account. */
struct stream_share {
	struct map_node by_account;
	struct id account_id;
	struct list streams; /* of struct stream_member */
	unsigned count;
};

static struct str id_view(const struct id *id)
{
	return (struct str){(const char *)id->bytes, ID_BYTES};
}

static struct stream_share *find(const struct stream_shares *shares, struct id account_id)
{
	struct map_node *node = map_find(&shares->by_account, id_view(&account_id));

	return node ? container_of(node, struct stream_share, by_account) : NULL;
}

void stream_shares_init(struct stream_shares *shares)
{
	list_init(&shares->all);
}

void stream_shares_finish(struct stream_shares *shares)
{
	require(shares->count == 0);
	map_finish(&shares->by_account);
}

bool stream_shares_have_room(const struct stream_shares *shares, struct id account_id)
{
	const struct stream_share *share = find(shares, account_id);

	return !stream_shares_are_full(shares) && (!share || share->count < shares->account_max);
}

bool stream_shares_are_full(const struct stream_shares *shares)
{
	return shares->count >= shares->max;
}

void stream_shares_join(struct stream_shares *shares, struct stream_member *member,
			struct id account_id)
{
	struct stream_share *share = find(shares, account_id);

	if (!share) {
		share = memory_zalloc(sizeof(*share));
		share->account_id = account_id;
		list_init(&share->streams);
		map_insert(&shares->by_account, &share->by_account, id_view(&share->account_id));
	}
	list_init(&member->node);
	list_init(&member->of_account);
	list_append(&shares->all, &member->node);
	list_append(&share->streams, &member->of_account);
	share->count++;
	shares->count++;
	member->share = share;
}

void stream_shares_leave(struct stream_shares *shares, struct stream_member *member)
{
	struct stream_share *share = member->share;

	list_remove(&member->node);
	list_remove(&member->of_account);
	shares->count--;
	if (--share->count)
		return;
	map_remove(&shares->by_account, &share->by_account);
	free(share);
}

struct list *stream_shares_find(const struct stream_shares *shares, struct id account_id)
{
	struct stream_share *share = find(shares, account_id);

	return share ? &share->streams : NULL;
}

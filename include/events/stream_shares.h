/* Limits the open streams of a worker, and of each account. */
#pragma once

#include "base/id.h"
#include "base/list.h"
#include "base/map.h"

/* Set max and account_max of a zeroed struct, then call stream_shares_init(). */
struct stream_shares {
	struct list all; /* of struct stream_member, by node */
	unsigned count;
	unsigned max;
	unsigned account_max;
	struct map by_account; /* private */
};

struct stream_share;

/* Stream's membership. Embed it in the stream. */
struct stream_member {
	struct list node;
	struct list of_account;
	struct stream_share *share;
};

void stream_shares_init(struct stream_shares *shares);
/* Call it when no stream is left. */
void stream_shares_finish(struct stream_shares *shares);

/* Whether the account may have one more. */
bool stream_shares_have_room(const struct stream_shares *shares, struct id account_id);
/* Whether no account may have one more. */
bool stream_shares_are_full(const struct stream_shares *shares);
void stream_shares_join(struct stream_shares *shares, struct stream_member *member,
			struct id account_id);
void stream_shares_leave(struct stream_shares *shares, struct stream_member *member);
/* List of the account's streams, by of_account; NULL: it has none. */
struct list *stream_shares_find(const struct stream_shares *shares, struct id account_id);

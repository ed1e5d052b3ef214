/* Limits the bytes of an account's pushed pictures, drafts and versions together.
 *
 * Their sums are columns of devices and apps. Adding them up for each push would be slow for an
 * account with thousands of devices. So a push that fits leaves a grant: for a few seconds, this
 * worker may store a small part of the bytes that were left without adding up again. An account
 * with little left gets no grant, so its limit is exact, except for pushes that run at the same
 * time. */
#pragma once

#include "base/id.h"
#include "domain/account.h"
#include "domain/push.h"
#include "task/task.h"

enum { BYTE_GRANTS = 1024 /* two accounts with the same slot replace each other */ };

struct byte_grant {
	struct id account_id;
	int64_t bytes;
	int64_t limit;	   /* account's limit when the grant was given; 0: the default */
	uint64_t until_ms; /* of clock_monotonic_ms() */
};

/* Zeroed: no grants. */
struct byte_grants {
	struct byte_grant slots[BYTE_GRANTS];
};

/* The grant that a push may use; bytes is 0 if there is none. */
struct byte_grant byte_grants_find(const struct byte_grants *grants, struct id account_id,
				   uint64_t now_ms);
/* Call it after a push of so many bytes was stored. Uses the grant, or makes one from the room that
 * the database reports. */
void byte_grants_stored(struct byte_grants *grants, struct id account_id, int64_t bytes,
			const struct push_stored *stored, uint64_t now_ms);

/* State, within that of an endpoint that stores pictures or code. */
struct account_room {
	struct account_expire_row expired;
	struct account_bytes bytes;
	unsigned tries;
};

/* The caller's account has no room: removes the expired entries of one of its devices, which still
 * count. next finds them, and calls api_account_room_was_made(). */
__attribute__((warn_unused_result)) struct step_result
api_make_account_room(struct task *task, struct account_room *room, task_step *next);
/* True: store it again. False: no entry of the account has expired. */
bool api_account_room_was_made(struct task *task, const struct account_room *room);

/* Reads what the caller's account uses and may use; next finds it and calls
 * api_fail_account_bytes(), which answers 409 with both. */
__attribute__((warn_unused_result)) struct step_result
api_ask_account_bytes(struct task *task, struct account_room *room, task_step *next);
/* Text of the 409, in the arena. */
struct str api_account_bytes_problem(struct task *task, const struct account_room *room);
__attribute__((warn_unused_result)) struct step_result
api_fail_account_bytes(struct task *task, const struct account_room *room);

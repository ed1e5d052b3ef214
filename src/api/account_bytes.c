#include "api/account_bytes.h"
#include "delivery/delivery.h"
#include "endpoints.h"

enum { GRANT_MS = 5000, GRANT_PART = 64 };

/* Number of devices whose expired entries a request removes, plus one. */
enum { ROOM_TRIES = 8 };

/* With less room than this, no grants are given: the limit is exact. */
static const int64_t reserve_bytes = 4 * 1024 * 1024;

/* The last bytes of an ID are random. */
static unsigned slot_of(struct id account_id)
{
	return (account_id.bytes[ID_BYTES - 2] << 8 | account_id.bytes[ID_BYTES - 1]) % BYTE_GRANTS;
}

struct byte_grant byte_grants_find(const struct byte_grants *grants, struct id account_id,
				   uint64_t now_ms)
{
	const struct byte_grant *grant = &grants->slots[slot_of(account_id)];

	if (!id_equal(grant->account_id, account_id) || now_ms >= grant->until_ms)
		return (struct byte_grant){.account_id = account_id};
	return *grant;
}

void byte_grants_stored(struct byte_grants *grants, struct id account_id, int64_t bytes,
			const struct push_stored *stored, uint64_t now_ms)
{
	struct byte_grant *grant = &grants->slots[slot_of(account_id)];

	if (!stored->is_summed) {
		if (id_equal(grant->account_id, account_id))
			grant->bytes -= bytes < grant->bytes ? bytes : grant->bytes;
		return;
	}
	*grant = (struct byte_grant){.account_id = account_id};
	if (stored->room <= reserve_bytes)
		return;
	grant->bytes = (stored->room - reserve_bytes) / GRANT_PART;
	grant->limit = stored->byte_limit;
	grant->until_ms = now_ms + GRANT_MS;
}

struct step_result api_make_account_room(struct task *task, struct account_room *room,
					 task_step *next)
{
	if (++room->tries == ROOM_TRIES)
		return task_fail_busy(task, PROBLEM_DATA_LOCKED, 1,
				      "expired entries are still being removed, try again");
	statement_account_expire(task_new_query(task),
				 &(struct account_expire_parameters){task_account_id(task)},
				 &room->expired);
	return task_query(task, next);
}

bool api_account_room_was_made(struct task *task, const struct account_room *room)
{
	if (task_row_count(task) == 0)
		return false;
	delivery_device_changed(api_delivery(task), room->expired.id, room->expired.generation);
	return true;
}

struct step_result api_ask_account_bytes(struct task *task, struct account_room *room,
					 task_step *next)
{
	statement_account_bytes(task_new_query(task),
				&(struct account_bytes_parameters){task_account_id(task)},
				&room->bytes);
	return task_query(task, next);
}

struct str api_account_bytes_problem(struct task *task, const struct account_room *room)
{
	return arena_printf(
	    task_arena(task),
	    "pushed pictures, drafts and versions of the account take %lld bytes, maximum %lld: "
	    "this does not fit; remove something, or ask an administrator for a higher limit",
	    (long long)room->bytes.bytes, (long long)room->bytes.bytes_allowed);
}

struct step_result api_fail_account_bytes(struct task *task, const struct account_room *room)
{
	if (task_row_count(task) == 0)
		return task_refuse(task);
	return task_fail(task, PROBLEM_BYTES_TOO_MANY, "%.*s",
			 STR_ARG(api_account_bytes_problem(task, room)));
}

#include "access.h"
#include "base/hex.h"
#include "changed.h"
#include "db/db.h"
#include "domain/key.h"
#include "endpoints.h"

/* DELETE /web/keys/{keyId} - revokes an API key. All workers of all instances forget it. */

struct revocation {
	struct own_key_revoke_row row;
};

static struct verdict fail(struct task *task)
{
	return task_fail(task, 404, "the account has no such key");
}

static struct verdict revoked(struct task *task)
{
	const struct revocation *revocation = task_state(task);
	char hex[2 * KEY_HASH_BYTES + 1];

	if (task_row_count(task) == 0)
		return fail(task);
	hex_encode(revocation->row.secret_hash.data, KEY_HASH_BYTES, hex);
	db_hint(task_service(task)->db, ARENA_JOIN(task_arena(task), STR("key:"), str_from(hex)));
	web_changed(task, task_account_id(task), "keys");
	web_changed(task, (struct id){0}, "admin");
	return task_reply_empty(task, 200);
}

static struct verdict begin(struct task *task)
{
	struct revocation *revocation = task_state(task);
	struct id id;

	if (!id_parse(task_path_parameter(task, 0), &id))
		return fail(task);
	statement_own_key_revoke(task_new_query(task),
				 &(struct own_key_revoke_parameters){
				     .account_id = task_account_id(task),
				     .id = id,
				     .address = web_address(task),
				 },
				 &revocation->row);
	return task_query(task, revoked);
}

const struct endpoint endpoint_key_revoke = {
    .name = "key_revoke",
    .handler = begin,
    .access = &access_session,
    .state_size = sizeof(struct revocation),
};

#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* DELETE /web/keys/{keyId} - revokes an API key. All workers of all instances forget it. */

static struct step_result fail(struct task *task)
{
	return task_fail(task, PROBLEM_KEY_NOT_FOUND, "the account has no such key");
}

static struct step_result revoked(struct task *task)
{
	if (task_row_count(task) == 0)
		return fail(task);
	web_changed(task, task_account_id(task), "keys");
	web_changed(task, (struct id){0}, "admin");
	return task_reply_empty(task, 200);
}

static struct step_result begin(struct task *task)
{
	struct id id;

	if (!id_parse(task_path_parameter(task, 0), &id))
		return fail(task);
	statement_own_key_revoke(task_new_query(task),
				 &(struct own_key_revoke_parameters){
				     .account_id = task_account_id(task),
				     .id = id,
				     .address = web_address(task),
				     .session_id = web_session_id(task),
				 },
				 NULL);
	return task_query(task, revoked);
}

const struct endpoint endpoint_key_revoke = {
    .handler = begin,
    ENDPOINT_KEY_REVOKE,
};

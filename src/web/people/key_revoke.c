#include "task/list.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* DELETE /web/keys/{keyId} - revokes an API key. All workers of all instances forget it. Then ends
 * what it has set up, unless keepSetUp is true: a statement of its own, which sees what the key has
 * set up until its revocation. If a crash or a failure prevents it, key_ends.h does it. */

struct revocation {
	struct id key;
	struct own_key_revoke_row revoked;
	struct own_key_end_row ended;
};

static struct step_result key_revoke_fail(struct task *task)
{
	return task_fail(task, PROBLEM_KEY_NOT_FOUND, "the account has no such key");
}

static struct step_result ended(struct task *task)
{
	return task_reply_empty(task, 200);
}

static struct step_result revoked(struct task *task)
{
	struct revocation *revocation = task_state(task);

	if (task_row_count(task) == 0)
		return key_revoke_fail(task);
	web_changed(task, task_account_id(task), "keys");
	web_changed(task, (struct id){0}, "admin");
	statement_own_key_end(task_new_query(task),
			      &(struct own_key_end_parameters){
				  .id = revocation->key,
				  .address = web_address(task),
				  .session_id = web_session_id(task),
			      },
			      &revocation->ended);
	return task_query(task, ended);
}

static struct step_result key_revoke_begin(struct task *task)
{
	struct revocation *revocation = task_state(task);
	struct step_result answer;
	bool keeps;

	if (task_has_bad_switch(task, "keepSetUp", &keeps, &answer))
		return answer;
	if (!id_parse(task_path_parameter(task, 0), &revocation->key))
		return key_revoke_fail(task);
	statement_own_key_revoke(task_new_query(task),
				 &(struct own_key_revoke_parameters){
				     .account_id = task_account_id(task),
				     .id = revocation->key,
				     .keeps_set_up = keeps,
				     .address = web_address(task),
				     .session_id = web_session_id(task),
				 },
				 &revocation->revoked);
	return task_query(task, revoked);
}

ENDPOINT_KEY_REVOKE(.handler = key_revoke_begin, .state_size = sizeof(struct revocation));

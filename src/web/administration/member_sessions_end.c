#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* DELETE /web/admin/accounts/{accountId}/sessions - ends all sessions of an account. */

struct end {
	struct member_sessions_end_row row;
};

static struct step_result member_sessions_end_fail(struct task *task)
{
	return task_fail(task, PROBLEM_ACCOUNT_NOT_FOUND, "there is no such account");
}

static struct step_result ended(struct task *task)
{
	const struct end *end = task_state(task);

	if (task_row_count(task) == 0)
		return member_sessions_end_fail(task);
	web_changed(task, end->row.id, "sessions");
	web_changed(task, (struct id){0}, "admin");
	return task_reply_empty(task, 200);
}

static struct step_result member_sessions_end_begin(struct task *task)
{
	struct end *end = task_state(task);
	struct id id;

	if (!id_parse(task_path_parameter(task, 0), &id))
		return member_sessions_end_fail(task);
	statement_member_sessions_end(task_new_query(task),
				      &(struct member_sessions_end_parameters){
					  .account_id = id,
					  .actor_id = task_account_id(task),
					  .address = web_address(task),
					  .session_id = web_session_id(task),
				      },
				      &end->row);
	return task_query(task, ended);
}

ENDPOINT_MEMBER_SESSIONS_END(.handler = member_sessions_end_begin,
			     .state_size = sizeof(struct end));

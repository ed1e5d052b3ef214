#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* DELETE /web/sessions/{sessionId} - ends a session of the account.
 * DELETE /web/sessions - ends all but that of the request. */

struct end {
	struct session_end_row ended;
};

static struct step_result session_end_fail(struct task *task)
{
	return task_fail(task, PROBLEM_SESSION_NOT_FOUND, "the account has no such session");
}

static struct step_result ended(struct task *task)
{
	if (task_row_count(task) == 0)
		return session_end_fail(task);
	web_changed(task, task_account_id(task), "sessions");
	web_changed(task, (struct id){0}, "admin");
	return task_reply_empty(task, 200);
}

static struct step_result end_one(struct task *task)
{
	struct end *state = task_state(task);
	struct id id;

	if (!id_parse(task_path_parameter(task, 0), &id))
		return session_end_fail(task);
	statement_session_end(task_new_query(task),
			      &(struct session_end_parameters){
				  .account_id = task_account_id(task),
				  .id = id,
				  .address = web_address(task),
				  .session_id = web_session_id(task),
			      },
			      &state->ended);
	return task_query(task, ended);
}

static struct step_result all_ended(struct task *task)
{
	web_changed(task, task_account_id(task), "sessions");
	web_changed(task, (struct id){0}, "admin");
	return task_reply_empty(task, 200);
}

static struct step_result end_others(struct task *task)
{
	statement_session_end_others(task_new_query(task), &(struct session_end_others_parameters){
							       .account_id = task_account_id(task),
							       .id = web_session_id(task),
							       .address = web_address(task),
							       .session_id = web_session_id(task),
							   });
	return task_query(task, all_ended);
}

ENDPOINT_SESSION_END(.handler = end_one, .state_size = sizeof(struct end));
ENDPOINT_SESSION_END_OTHERS(.handler = end_others);

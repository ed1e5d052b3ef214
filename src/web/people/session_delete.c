#include "session_start.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* DELETE /web/session - signs out. */

struct sign_out {
	struct session_end_row ended;
};

static struct step_result ended(struct task *task)
{
	web_changed(task, task_account_id(task), "sessions");
	web_changed(task, (struct id){0}, "admin");
	web_set_cookie(task, (struct str){0}, false);
	return task_reply_empty(task, 200);
}

static struct step_result session_delete_begin(struct task *task)
{
	struct sign_out *state = task_state(task);

	statement_session_end(task_new_query(task),
			      &(struct session_end_parameters){
				  .account_id = task_account_id(task),
				  .id = web_session_id(task),
				  .address = web_address(task),
				  .session_id = web_session_id(task),
			      },
			      &state->ended);
	return task_query(task, ended);
}

ENDPOINT_SESSION_DELETE(.handler = session_delete_begin, .state_size = sizeof(struct sign_out));

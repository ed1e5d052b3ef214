#include "base/limits.h"
#include "task/list.h"
#include "web/access.h"
#include "web/endpoints.h"

/* GET /web/sessions - the sessions of the account. */

static void ask_sessions(struct task *task, struct db_query *query, const struct list_range *range)
{
	(void)range;
	statement_session_list(query,
			       &(struct session_list_parameters){
				   .account_id = task_account_id(task),
				   .current_id = web_session_id(task),
				   .idle_s = LIMIT_SESSION_IDLE_S,
				   .life_s = LIMIT_SESSION_S,
			       },
			       NULL);
}

static const struct task_list list = {
    .letter = 's',
    .ask = ask_sessions,
    .record = &session_entry_record,
};

static struct step_result session_list_begin(struct task *task)
{
	return task_reply_list(task, &list);
}

ENDPOINT_SESSION_LIST(.handler = session_list_begin);

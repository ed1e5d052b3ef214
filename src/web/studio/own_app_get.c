#include "domain/studio.h"
#include "web/access.h"
#include "web/endpoints.h"

/* GET /web/studio/{appId} - an app as its author sees it. */

static struct step_result own_app_get_found(struct task *task)
{
	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_APP_NOT_FOUND, "there is no such app");
	return task_reply_record(task, 200, &own_app_record, task_state(task));
}

static struct step_result own_app_get_begin(struct task *task)
{
	statement_own_app_get(task_new_query(task),
			      &(struct own_app_get_parameters){task_app(task)->id},
			      task_state(task));
	return task_query(task, own_app_get_found);
}

ENDPOINT_OWN_APP_GET(.handler = own_app_get_begin, .state_size = sizeof(struct own_app));

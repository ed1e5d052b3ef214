#include "api/app_name.h"
#include "domain/studio.h"
#include "endpoints.h"

/* GET /v1/apps/{appId}/source - the script of the deployed version of an app that can be installed.
 */

static struct step_result app_script_found(struct task *task)
{
	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_APP_NOT_FOUND, "there is no such app");
	return task_reply_record(task, 200, &app_script_record, task_state(task));
}

static struct step_result app_script_begin(struct task *task)
{
	struct app_name name = app_name_of(task_path_parameter(task, 0));

	statement_app_deployed_script(task_new_query(task),
				      &(struct app_deployed_script_parameters){
					  .account_id = task_account_id(task),
					  .app_id = name.id,
					  .slug = name.slug,
				      },
				      task_state(task));
	return task_query(task, app_script_found);
}

ENDPOINT_APP_SCRIPT_GET(.handler = app_script_begin, .state_size = sizeof(struct app_script));

#include "api/apps.h"
#include "api/version_wait.h"
#include "endpoints.h"

/* GET /v1/apps/{appId}/versions/{version}/check - the verdict about a version; waits for it. */

struct version_checking {
	struct version_check_get_row row;
	struct version_wait wait;
};

static task_step app_version_check_find;

static struct step_result app_version_check_found(struct task *task)
{
	struct version_checking *checking = task_state(task);
	const struct version_check_get_row *row = &checking->row;
	struct step_result result;
	struct buffer json = {0};

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_VERSION_NOT_FOUND, "the app has no such version");
	if (row->is_pending &&
	    api_version_wait(task, &checking->wait, row->id, app_version_check_find, &result))
		return result;
	buffer_append_str(&json, row->verdict);
	result = task_reply_json(task, 200, &json);
	buffer_finish(&json);
	return result;
}

static struct step_result app_version_check_find(struct task *task)
{
	struct version_checking *checking = task_state(task);

	statement_version_check_get(task_new_query(task),
				    &(struct version_check_get_parameters){
					.app_id = task_app(task)->id,
					.name = task_path_parameter(task, 1),
				    },
				    &checking->row);
	return task_query(task, app_version_check_found);
}

static void app_version_check_finish(void *state)
{
	version_wait_finish(&((struct version_checking *)state)->wait);
}

ENDPOINT_APP_VERSION_CHECK(.handler = app_version_check_find,
			   .state_size = sizeof(struct version_checking),
			   .finish = app_version_check_finish);

#include "api/drafts.h"
#include "endpoints.h"

/* POST /v1/apps/{appId}/versions/{version}/draft - makes a version the draft of its app. */

static struct step_result app_version_draft_taken(struct task *task)
{
	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_VERSION_NOT_FOUND, "the app has no such version");
	return api_draft_was_saved(task);
}

static struct step_result app_version_draft_begin(struct task *task)
{
	struct draft_saving *saving = task_state(task);

	saving->save = app_version_draft_begin;
	statement_app_version_draft(task_new_query(task),
				    &(struct app_version_draft_parameters){
					.app_id = task_app(task)->id,
					.name = task_path_parameter(task, 1),
				    },
				    &saving->saved);
	return task_query(task, app_version_draft_taken);
}

ENDPOINT_APP_VERSION_DRAFT(.handler = app_version_draft_begin,
			   .state_size = sizeof(struct draft_saving), .refused = api_draft_refused);

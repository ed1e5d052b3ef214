#include "api/app_name.h"
#include "endpoints.h"

/* GET /v1/apps/{appId}/picture - the picture of an app in the catalogue. */

static struct step_result app_picture_found(struct task *task)
{
	const struct app_picture_get_row *row = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_PICTURE_NOT_FOUND, "the app has no picture");
	return task_reply_tagged(task, STR("image/webp"), row->picture);
}

static struct step_result app_picture_begin(struct task *task)
{
	struct app_name name = app_name_of(task_path_parameter(task, 0));

	statement_app_picture_get(task_new_query(task),
				  &(struct app_picture_get_parameters){
				      .account_id = task_account_id(task),
				      .app_id = name.id,
				      .slug = name.slug,
				  },
				  task_state(task));
	return task_query(task, app_picture_found);
}

ENDPOINT_APP_PICTURE_GET(.handler = app_picture_begin,
			 .state_size = sizeof(struct app_picture_get_row));

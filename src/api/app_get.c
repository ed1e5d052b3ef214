#include "api/app_name.h"
#include "api/catalogue.h"
#include "endpoints.h"

/* GET /v1/apps/{appId} - an app that the caller can install. */

static struct step_result app_get_found(struct task *task)
{
	const struct api_app_get *get = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_APP_NOT_FOUND, "there is no such app");
	return task_reply_record(task, 200, get->shown, &get->app);
}

struct step_result api_get_app(struct task *task, const struct record *shown)
{
	struct api_app_get *get = task_state(task);
	struct app_name name = app_name_of(task_path_parameter(task, 0));

	get->shown = shown;
	statement_catalogue_get(task_new_query(task),
				&(struct catalogue_get_parameters){
				    .account_id = task_account_id(task),
				    .app_id = name.id,
				    .slug = name.slug,
				},
				&get->app);
	return task_query(task, app_get_found);
}

static struct step_result app_get_begin(struct task *task)
{
	return api_get_app(task, &app_detail_record);
}

ENDPOINT_APP_GET(.handler = app_get_begin, .state_size = sizeof(struct api_app_get));

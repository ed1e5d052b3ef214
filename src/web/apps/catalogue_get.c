#include "app_name.h"
#include "domain/studio.h"
#include "web/access.h"
#include "web/endpoints.h"

/* GET /web/apps/{appId} - an app that the account can install. */

static struct verdict found(struct task *task)
{
	if (task_row_count(task) == 0)
		return task_fail(task, 404, "there is no such app");
	return task_reply_record(task, 200, &catalogue_app_record, task_state(task));
}

static struct verdict begin(struct task *task)
{
	struct app_name name = app_name_of(task_path_parameter(task, 0));

	statement_catalogue_get(task_new_query(task),
				&(struct catalogue_get_parameters){
				    .account_id = task_account_id(task),
				    .app_id = name.id,
				    .slug = name.slug,
				},
				task_state(task));
	return task_query(task, found);
}

const struct endpoint endpoint_catalogue_get = {
    .handler = begin,
    .state_size = sizeof(struct catalogue_app),
    ENDPOINT_CATALOGUE_GET,
};

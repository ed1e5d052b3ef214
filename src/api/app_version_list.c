#include "domain/app.h"
#include "endpoints.h"

/* GET /v1/apps/{appId}/versions - of a private app, newest first. */

static struct verdict begin(struct task *task)
{
	/* Even for its owner. */
	if (!task_app(task)->is_private)
		return task_fail(task, 403, "only a private app's versions can be listed");
	db_add_id(task_parameters(task), task_app(task)->id);
	return task_reply_query(task, STATEMENT_APP_VERSION_LIST, &app_version_record,
				sizeof(struct app_version));
}

const struct endpoint endpoint_app_version_list = {
    .name = "app_version_list",
    .handler = begin,
    .access = &access_api_key,
    .resource = RESOURCE_APP,
};

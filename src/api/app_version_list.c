#include "domain/app.h"
#include "endpoints.h"

/* GET /v1/apps/{appId}/versions - the versions of a private app, newest first. */

static struct verdict begin(struct task *task)
{
	/* Not even its owner may list those of a public app. */
	if (!task_app(task)->is_private)
		return task_fail(task, 403, "only a private app's versions can be listed");
	statement_app_version_list(
	    task_new_query(task),
	    &(struct app_version_list_parameters){.app_id = task_app(task)->id}, NULL);
	return task_reply_query(task);
}

const struct endpoint endpoint_app_version_list = {
    .name = "app_version_list",
    .handler = begin,
    .access = &access_api_key,
    .resource = RESOURCE_APP,
};

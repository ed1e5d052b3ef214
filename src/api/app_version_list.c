#include "api/apps.h"
#include "endpoints.h"
#include "task/list.h"

/* GET /v1/apps/{appId}/versions - the versions of a private app, newest first. */

static void ask_versions(struct task *task, struct db_query *query, const struct list_range *range)
{
	statement_app_version_list(
	    query, &(struct app_version_list_parameters){.app_id = task_app(task)->id}, range);
}

static const struct task_list list = {
    .letter = 'v',
    .ask = ask_versions,
    .order = &app_version_list_order,
    .may_be_large = true,
    .record = &app_version_record,
};

static struct step_result app_version_list_begin(struct task *task)
{
	/* Versions of a public app are not listed, not even for its owner. */
	if (!task_app(task)->is_private)
		return task_fail(task, PROBLEM_APP_NOT_PRIVATE,
				 "only a private app's versions can be listed");
	return task_reply_list(task, &list);
}

ENDPOINT_APP_VERSION_LIST(.handler = app_version_list_begin);

#include "access.h"
#include "api/apps.h"
#include "base/limits.h"
#include "domain/studio.h"
#include "endpoints.h"

/* The versions of an app, for its author: what the public API does, with a session.
 *
 *   GET /web/studio/{appId}/versions                        all of them, of a public app, too
 *   POST /web/studio/{appId}/versions                       submits one for review
 *   GET /web/studio/{appId}/versions/{versionId}/script     the script of one
 *   POST /web/studio/{appId}/deploy                         deploys or rolls back */

static struct verdict list_versions(struct task *task)
{
	return task_reply_list(task, &api_version_list);
}

static struct verdict script_found(struct task *task)
{
	if (task_row_count(task) == 0)
		return task_fail(task, 404, "the app has no such version");
	return task_reply_record(task, 200, &app_script_record, task_state(task));
}

static struct verdict get_script(struct task *task)
{
	struct id id;

	if (!id_parse(task_path_parameter(task, 1), &id))
		return task_fail(task, 404, "the app has no such version");
	statement_app_script(
	    task_new_query(task),
	    &(struct app_script_parameters){.app_id = task_app(task)->id, .id = id},
	    task_state(task));
	return task_query(task, script_found);
}

const struct endpoint endpoint_own_version_deploy = {
    .name = "own_version_deploy",
    .handler = api_deploy_version,
    .access = &access_session,
    .resource = RESOURCE_APP,
    .body = &app_deploy_record,
    .body_max_bytes = LIMIT_PAGE_BODY_BYTES,
    .state_size = sizeof(struct api_deploy),
};
const struct endpoint endpoint_own_version_list = {
    .name = "own_version_list",
    .handler = list_versions,
    .access = &access_session,
    .resource = RESOURCE_APP,
};
const struct endpoint endpoint_own_version_script = {
    .name = "own_version_script",
    .handler = get_script,
    .access = &access_session,
    .resource = RESOURCE_APP,
    .state_size = sizeof(struct app_script),
};
const struct endpoint endpoint_own_version_submit = {
    .name = "own_version_submit",
    .handler = api_upload_version,
    .access = &access_session,
    .resource = RESOURCE_APP,
    .body = &app_upload_record,
    .body_max_bytes = LIMIT_UPLOAD_BODY_BYTES,
    .state_size = sizeof(struct api_upload),
    .refused = api_upload_refused,
};

#include "api/apps.h"
#include "delivery/delivery.h"
#include "endpoints.h"

/* POST /v1/apps/{appId}/deploy - makes an approved version the deployed one, which installations
 * render. Deploying an older version is a rollback. */

static struct step_result deployed(struct task *task)
{
	struct api_deploy *deploy = task_state(task);
	const struct app_version *version = &deploy->row.app_version;
	struct step_result result;

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_VERSION_NOT_FOUND, "the app has no such version");
	if (deploy->row.is_broken)
		return api_fail_broken(task, "deployed", deploy->row.fault);
	if (deploy->row.is_unchecked) {
		if (api_version_wait(task, &deploy->wait, version->id, api_deploy_version, &result))
			return result;
		return api_fail_unchecked(task, version->script_language);
	}
	/* The version is approved, so the app was removed after the pre-handler checks had found
	 * it.
	 */
	if (!version->deployed && str_equal(version->status, STR("APPROVED")))
		return task_fail(task, PROBLEM_APP_NOT_FOUND, "there is no such app");
	if (!version->deployed)
		return task_fail(task, PROBLEM_VERSION_CHANGED,
				 "the version is %.*s; only an approved version can be deployed",
				 STR_ARG(version->status));
	delivery_app_changed(api_delivery(task), task_app(task)->id, deploy->row.generation);
	return task_reply_record(task, 200, &app_version_record, version);
}

struct step_result api_deploy_version(struct task *task)
{
	struct api_deploy *deploy = task_state(task);

	statement_app_version_deploy(task_new_query(task),
				     &(struct app_version_deploy_parameters){
					 .app_id = task_app(task)->id,
					 .name = deploy->body.version,
					 .needs_check = api_needs_check(task),
					 .actor_id = task_account_id(task),
					 .address = task_request(task)->remote_address,
					 /* The statement does not distinguish sessions and keys. */
					 .session_id = task_is_of_operator(task)
							   ? access_operator_session()
							   : task_account_id(task),
				     },
				     &deploy->row);
	return task_query(task, deployed);
}

struct step_result api_fail_deploy(struct task *task)
{
	if (task_constraint_error(task) != CONSTRAINT_VERSION_NOT_REVIEWED)
		return task_fail_constraint(task);
	return task_fail(task, PROBLEM_VERSION_NOT_REVIEWED,
			 "only its owner has approved the version that the app would show, so it "
			 "stays private; submit a version for review");
}

void api_deploy_finish(void *state)
{
	version_wait_finish(&((struct api_deploy *)state)->wait);
}

ENDPOINT_APP_VERSION_DEPLOY(.handler = api_deploy_version, .state_size = sizeof(struct api_deploy),
			    .refused = api_fail_deploy, .finish = api_deploy_finish);

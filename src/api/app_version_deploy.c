#include "delivery/delivery.h"
#include "domain/app.h"
#include "endpoints.h"

/* POST /v1/apps/{appId}/deploy - makes an approved version the one that installations render; an
 * older one is a rollback. */

struct deploy {
	struct app_deploy body; /* first: the prologue reads the request into it */
	struct app_version version;
};

static struct verdict deployed(struct task *task)
{
	const struct deploy *deploy = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(task, 404, "the app has no such version");
	/* Approved, but the app is gone since it was looked for. */
	if (!deploy->version.deployed && str_equal(deploy->version.status, STR("APPROVED")))
		return task_fail(task, 404, "there is no such app");
	if (!deploy->version.deployed)
		return task_fail(task, 409,
				 "the version is %.*s, only an approved one can be deployed",
				 STR_ARG(deploy->version.status));
	delivery_app_changed(api_delivery(task), task_app(task)->id, deploy->version.generation);
	return task_reply_record(task, 200, &app_version_record, &deploy->version);
}

static struct verdict begin(struct task *task)
{
	struct deploy *deploy = task_state(task);
	struct db_parameters *parameters = task_parameters(task);

	db_add_id(parameters, task_app(task)->id);
	db_add_text(parameters, deploy->body.version);
	return task_query(task, STATEMENT_APP_VERSION_DEPLOY, &app_deployed_record,
			  &deploy->version, deployed);
}

const struct endpoint endpoint_app_version_deploy = {
    .name = "app_version_deploy",
    .handler = begin,
    .access = &access_api_key,
    .resource = RESOURCE_APP,
    .body = &app_deploy_record,
    .state_size = sizeof(struct deploy),
};

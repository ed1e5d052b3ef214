/* Endpoints of apps, shared by the public API (API key) and the pages (session). Each endpoint
 * names its handler, its record and its state. All of them have RESOURCE_APP. */
#pragma once

#include "api/account_bytes.h"
#include "api/version_wait.h"
#include "domain/app.h"
#include "task/task.h"

/* Submits a version for review; the body is app_upload_record. */
struct api_upload {
	struct app_upload body; /* first: the pre-handler checks read the request into it */
	struct app_version version;
	struct app_version_pending_row pending;
	struct account_room room; /* if the account has no room */
};
task_step api_upload_version;
task_step api_fail_version;   /* answers a constraint error of a new version */
task_step api_upload_refused; /* handler of the endpoint's "refused" */

/* Makes an approved version the deployed one; the body is app_deploy_record. */
struct api_deploy {
	struct app_deploy body; /* first: the pre-handler checks read the request into it */
	struct app_version_deploy_row row;
	struct version_wait wait;
};
task_step api_deploy_version;
task_step api_fail_deploy;	     /* handler of the endpoint's "refused" */
void api_deploy_finish(void *state); /* finish() of the endpoint */

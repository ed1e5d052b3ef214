#include "domain/app.h"
#include "endpoints.h"

/* GET /v1/apps - the apps that the caller can install. */

static struct verdict begin(struct task *task)
{
	statement_app_list(task_new_query(task),
			   &(struct app_list_parameters){.account_id = task_account_id(task)},
			   NULL);
	return task_reply_query(task);
}

const struct endpoint endpoint_app_list = {
    .name = "app_list",
    .handler = begin,
    .access = &access_api_key,
};

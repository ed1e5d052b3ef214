#include "domain/app.h"
#include "endpoints.h"

/* GET /v1/apps - the apps that the caller can install. */

static struct verdict begin(struct task *task)
{
	db_add_id(task_parameters(task), task_account_id(task));
	return task_reply_query(task, STATEMENT_APP_LIST, &app_listed_record,
				sizeof(struct app_listed));
}

const struct endpoint endpoint_app_list = {
    .name = "app_list",
    .handler = begin,
    .access = &access_api_key,
};

#include "endpoints.h"

/* GET /v1/devices - the account's devices, oldest first. */

static struct verdict begin(struct task *task)
{
	statement_device_list(task_new_query(task),
			      &(struct device_list_parameters){.account_id = task_account_id(task)},
			      NULL);
	return task_reply_query(task);
}

const struct endpoint endpoint_device_list = {
    .name = "device_list",
    .handler = begin,
    .access = &access_api_key,
};

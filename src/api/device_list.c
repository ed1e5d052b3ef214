#include "endpoints.h"

/* GET /v1/devices - the account's devices, oldest first. */

static struct verdict begin(struct task *task)
{
	db_add_id(task_parameters(task), task_account_id(task));
	return task_reply_query(task, STATEMENT_DEVICE_LIST, &device_record, sizeof(struct device));
}

const struct endpoint endpoint_device_list = {
    .name = "device_list",
    .handler = begin,
    .access = &access_api_key,
};

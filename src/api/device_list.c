#include "endpoints.h"

/* GET /v1/devices - the account's devices, oldest first. */

static struct verdict found(struct task *task)
{
	return task_reply_rows(task, &device_record, sizeof(struct device));
}

static struct verdict begin(struct task *task)
{
	db_add_id(task_parameters(task), task_account_id(task));
	return task_query_rows(task, STATEMENT_DEVICE_LIST, &device_record, sizeof(struct device),
			       found);
}

const struct endpoint endpoint_device_list = {
    .name = "device_list",
    .handler = begin,
    .access = ACCESS_KEY,
};

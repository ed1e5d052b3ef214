#include "domain/installation.h"
#include "endpoints.h"

/* GET /v1/devices/{deviceId}/installations - in the order of the rotation. */

static struct verdict begin(struct task *task)
{
	db_add_id(task_parameters(task), task_device(task)->id);
	return task_reply_query(task, STATEMENT_INSTALLATION_LIST, &installation_record,
				sizeof(struct installation));
}

const struct endpoint endpoint_installation_list = {
    .name = "installation_list",
    .handler = begin,
    .access = &access_api_key,
    .resource = RESOURCE_DEVICE,
};

#include "endpoints.h"

/* GET /v1/devices/{deviceId}/installations - its installations, in the order of the
 * rotation. */

static struct verdict begin(struct task *task)
{
	statement_installation_list(
	    task_new_query(task),
	    &(struct installation_list_parameters){.device_id = task_device(task)->id}, NULL);
	return task_reply_query(task);
}

const struct endpoint endpoint_installation_list = {
    .name = "installation_list",
    .handler = begin,
    .access = &access_api_key,
    .resource = RESOURCE_DEVICE,
};

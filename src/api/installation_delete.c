#include "delivery/delivery.h"
#include "endpoints.h"

/* DELETE /v1/devices/{deviceId}/installations/{installationId} - removes an installation. */

static struct verdict deleted(struct task *task)
{
	const struct installation_delete_row *row = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(task, 404, "the device has no such installation");
	delivery_device_changed(api_delivery(task), task_device(task)->id, row->generation);
	return task_reply_empty(task, 200);
}

static struct verdict begin(struct task *task)
{
	statement_installation_delete(task_new_query(task),
				      &(struct installation_delete_parameters){
					  .device_id = task_device(task)->id,
					  .id = task_path_parameter(task, 1),
				      },
				      task_state(task));
	return task_query(task, deleted);
}

const struct endpoint endpoint_installation_delete = {
    .name = "installation_delete",
    .handler = begin,
    .access = &access_api_key,
    .resource = RESOURCE_DEVICE,
    .state_size = sizeof(struct installation_delete_row),
};

#include "delivery/delivery.h"
#include "endpoints.h"

/* DELETE /v1/devices/{deviceId}/installations/{installationId} - out of the rotation. */

struct deletion {
	int64_t generation;
};

static const struct record_field deletion_fields[] = {
    RECORD_INT(struct deletion, generation, .column = "generation"),
};
static const struct record deletion_record = RECORD(deletion_fields);

static struct verdict deleted(struct task *task)
{
	const struct deletion *deletion = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(task, 404, "the device has no such installation");
	delivery_device_changed(api_delivery(task), task_device(task)->id, deletion->generation);
	return task_reply_empty(task, 200);
}

static struct verdict begin(struct task *task)
{
	struct db_parameters *parameters = task_parameters(task);

	db_add_id(parameters, task_device(task)->id);
	db_add_text(parameters, task_path_parameter(task, 1));
	return task_query(task, STATEMENT_INSTALLATION_DELETE, &deletion_record, task_state(task),
			  deleted);
}

const struct endpoint endpoint_installation_delete = {
    .name = "installation_delete",
    .handler = begin,
    .access = &access_api_key,
    .resource = RESOURCE_DEVICE,
    .state_size = sizeof(struct deletion),
};

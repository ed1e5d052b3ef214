#include "api/operator_note.h"
#include "delivery/delivery.h"
#include "endpoints.h"

/* DELETE /v1/devices/{deviceId}/alias - ends the former address of an imported device: a panel that
 * is connected by it is dropped everywhere. */

static struct step_result device_alias_end_reply(struct task *task)
{
	return task_reply_empty(task, 200);
}

static struct step_result ended(struct task *task)
{
	const struct device_alias_end_row *row = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_FORMER_ADDRESS_NOT_FOUND,
				 "the device has no former address");
	delivery_device_changed(api_delivery(task), task_device(task)->id, row->generation);
	return api_note_change(task, "device.alias", STR(""), device_alias_end_reply);
}

static struct step_result device_alias_end_begin(struct task *task)
{
	statement_device_alias_end(task_new_query(task),
				   &(struct device_alias_end_parameters){task_device(task)->id},
				   task_state(task));
	return task_query(task, ended);
}

ENDPOINT_DEVICE_ALIAS_END(.handler = device_alias_end_begin,
			  .state_size = sizeof(struct device_alias_end_row));

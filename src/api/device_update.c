#include "api/operator_note.h"
#include "delivery/delivery.h"
#include "endpoints.h"

/* PATCH /v1/devices/{deviceId} - changes settings of a device. Its panel follows at once. */

struct update {
	struct device change; /* first: the pre-handler checks read the request into it */
	struct device device; /* after the change */
};

static struct step_result device_update_reply(struct task *task)
{
	const struct update *update = task_state(task);

	return task_reply_device(task, &device_record, &update->device,
				 update->device.settings_revision);
}

static struct step_result updated(struct task *task)
{
	const struct update *update = task_state(task);

	if (task_row_count(task) == 0 && task_can_look_again(task))
		return task_continue(task, task_look_again);
	if (task_row_count(task) == 0 && task_expected_revision(task))
		return task_fail_precondition(task);
	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_DEVICE_NOT_FOUND, "there is no such device");
	delivery_device_changed(api_delivery(task), update->device.id, update->device.generation);
	return api_note_change(task, "device.update", STR(""), device_update_reply);
}

static struct step_result device_update_begin(struct task *task)
{
	struct update *update = task_state(task);

	statement_device_update(task_new_query(task),
				&(struct device_update_parameters){
				    .id = task_device(task)->id,
				    .account_id = task_account_id(task),
				    .expected_revision = task_expected_revision(task),
				    .change = &update->change,
				    .change_present = task_body_present(task),
				},
				&update->device);
	return task_query(task, updated);
}

ENDPOINT_DEVICE_UPDATE(.handler = device_update_begin, .state_size = sizeof(struct update),
		       .tag_record = &device_record, .may_assume_device = true);

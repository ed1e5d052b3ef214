#include "api/operator_note.h"
#include "delivery/delivery.h"
#include "endpoints.h"

/* PATCH /v1/devices/{deviceId} - changes settings of a device. Its panel follows at once.
 * PATCH /v0/devices/{deviceId} - the same in the form of /v0. */

struct update {
	struct device change; /* first: the prologue reads the request into it */
	struct device device; /* after the change */
	const struct record *shown;
};

static struct verdict reply(struct task *task)
{
	const struct update *update = task_state(task);

	return task_reply_device(task, update->shown, &update->device,
				 update->device.settings_revision);
}

static struct verdict updated(struct task *task)
{
	const struct update *update = task_state(task);

	if (task_row_count(task) == 0 && task_expected_revision(task))
		return task_fail_precondition(task);
	if (task_row_count(task) == 0)
		return task_fail(task, 404, "there is no such device");
	delivery_device_changed(api_delivery(task), update->device.id, update->device.generation);
	return api_note_change(task, "device.update", STR(""), reply);
}

/* present: the fields of device_record that change. */
static struct verdict change(struct task *task, uint64_t present, const struct record *shown)
{
	struct update *update = task_state(task);

	update->shown = shown;
	statement_device_update(task_new_query(task),
				&(struct device_update_parameters){
				    .id = task_device(task)->id,
				    .account_id = task_account_id(task),
				    .expected_revision = task_expected_revision(task),
				    .change = &update->change,
				    .change_present = present,
				},
				&update->device);
	return task_query(task, updated);
}

static struct verdict begin(struct task *task)
{
	return change(task, task_body_present(task), &device_record);
}

/* A body that has nothing that /v0 knows changes nothing, and is no fault. */
static struct verdict begin_v0(struct task *task)
{
	uint64_t present =
	    record_present_as(&device_v0_record, task_body_present(task), &device_record);

	if (!present)
		return task_reply_device(task, &device_v0_record, task_device(task),
					 task_device(task)->settings_revision);
	return change(task, present, &device_v0_record);
}

const struct endpoint endpoint_device_update = {
    .handler = begin,
    .state_size = sizeof(struct update),
    .tag_record = &device_record,
    ENDPOINT_DEVICE_UPDATE,
};

const struct endpoint endpoint_v0_device_update = {
    .handler = begin_v0,
    .state_size = sizeof(struct update),
    .tag_record = &device_v0_record,
    ENDPOINT_V0_DEVICE_UPDATE,
};

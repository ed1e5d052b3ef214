#include "base/limits.h"
#include "delivery/delivery.h"
#include "own_device.h"
#include "web/endpoints.h"

/* The rotation of a device: POST /web/devices/{deviceId}/rotation/{installationId}/show. It is read
 * and reordered, an entry is removed, and an image pushed, as by the public API. */

/* ---- show an entry now ---- */

struct showing {
	struct rotation_show_row row;
};

static struct step_result fail_no_entry(struct task *task)
{
	return task_fail(task, PROBLEM_INSTALLATION_NOT_FOUND,
			 "the device has no such installation");
}

static struct step_result shown(struct task *task)
{
	const struct showing *showing = task_state(task);

	if (task_row_count(task) == 0)
		return fail_no_entry(task);
	if (!showing->row.is_shown)
		return task_fail(task, PROBLEM_ENTRY_EMPTY, "the entry has no picture yet");
	delivery_device_changed(web_delivery(task), task_device(task)->id, showing->row.generation);
	return task_reply_empty(task, 200);
}

static struct step_result show(struct task *task)
{
	struct showing *showing = task_state(task);

	statement_rotation_show(task_new_query(task),
				&(struct rotation_show_parameters){
				    .device_id = task_device(task)->id,
				    .id = task_path_parameter(task, 1),
				},
				&showing->row);
	return task_query(task, shown);
}

static struct step_result show_refused(struct task *task)
{
	return task_constraint_error(task) == CONSTRAINT_ENTRY_GONE ? fail_no_entry(task)
								    : web_fail_constraint(task);
}

const struct endpoint endpoint_rotation_get = {
    ENDPOINT_ROTATION_GET,
};
const struct endpoint endpoint_rotation_order = {
    ENDPOINT_ROTATION_ORDER,
};
const struct endpoint endpoint_rotation_remove = {
    ENDPOINT_ROTATION_REMOVE,
};
const struct endpoint endpoint_rotation_show = {
    .handler = show,
    .state_size = sizeof(struct showing),
    .refused = show_refused,
    ENDPOINT_ROTATION_SHOW,
};
const struct endpoint endpoint_rotation_copy = {
    ENDPOINT_ROTATION_COPY,
};
const struct endpoint endpoint_rotation_move = {
    ENDPOINT_ROTATION_MOVE,
};
const struct endpoint endpoint_own_push_devices = {
    ENDPOINT_OWN_PUSH_DEVICES,
};
const struct endpoint endpoint_own_brightness_set = {
    ENDPOINT_OWN_BRIGHTNESS_SET,
};
const struct endpoint endpoint_own_pin_set = {
    ENDPOINT_OWN_PIN_SET,
};
const struct endpoint endpoint_own_push = {
    ENDPOINT_OWN_PUSH,
};
const struct endpoint endpoint_own_message = {
    ENDPOINT_OWN_MESSAGE,
};
const struct endpoint endpoint_own_temporary_delete = {
    ENDPOINT_OWN_TEMPORARY_DELETE,
};

#include "delivery/delivery.h"
#include "endpoints.h"

/* DELETE /v1/devices/{deviceId}/temporary - ends the push that a device shows, or will show, even a
 * held one. An entry that was shown at once stays in the rotation. */

static struct step_result removed(struct task *task)
{
	const struct temporary_delete_row *row = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_DEVICE_NOT_FOUND, "there is no such device");
	if (row->is_removed)
		delivery_device_changed(api_delivery(task), task_device(task)->id, row->generation);
	return task_reply_empty(task, 200);
}

static struct step_result temporary_delete_begin(struct task *task)
{
	statement_temporary_delete(task_new_query(task),
				   &(struct temporary_delete_parameters){task_device(task)->id},
				   task_state(task));
	return task_query(task, removed);
}

ENDPOINT_TEMPORARY_DELETE(.handler = temporary_delete_begin,
			  .state_size = sizeof(struct temporary_delete_row));

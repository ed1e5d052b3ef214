#include "domain/installation.h"
#include "endpoints.h"

/* GET /v1/devices/{deviceId}/rotation - the entries of a device with their options, the entry for
 * its sleep window, and a temporary image. */

static struct step_result rotation_get_found(struct task *task)
{
	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_DEVICE_NOT_FOUND, "there is no such device");
	return task_reply_record(task, 200, &rotation_record, task_state(task));
}

static struct step_result rotation_get_begin(struct task *task)
{
	statement_rotation_get(task_new_query(task),
			       &(struct rotation_get_parameters){task_device(task)->id},
			       task_state(task));
	return task_query(task, rotation_get_found);
}

ENDPOINT_DEVICE_ROTATION(.handler = rotation_get_begin, .state_size = sizeof(struct rotation));

#include "domain/firmware.h"
#include "endpoints.h"

/* GET /v1/devices/{deviceId}/firmware - what the panel of a device reported about its firmware. */

static struct step_result firmware_get_found(struct task *task)
{
	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_DEVICE_NOT_FOUND, "there is no such device");
	return task_reply_record(task, 200, &firmware_record, task_state(task));
}

static struct step_result firmware_get_begin(struct task *task)
{
	statement_firmware_get(task_new_query(task),
			       &(struct firmware_get_parameters){.id = task_device(task)->id},
			       task_state(task));
	return task_query(task, firmware_get_found);
}

ENDPOINT_FIRMWARE_GET(.handler = firmware_get_begin, .state_size = sizeof(struct firmware));

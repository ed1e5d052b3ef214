#include "endpoints.h"

/* GET /v1/devices/{deviceId} - one device. The pre-handler checks have read it. */

static struct step_result device_get_begin(struct task *task)
{
	return task_reply_device(task, &device_record, task_device(task),
				 task_device(task)->settings_revision);
}

ENDPOINT_DEVICE_GET(.handler = device_get_begin, .kept_as = READ_DEVICE);

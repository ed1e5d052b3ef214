#include "endpoints.h"

/* GET /v1/devices/{deviceId} - one device. The prologue has read it.
 * GET /v0/devices/{deviceId} - the same in the form of /v0. */

static struct verdict reply(struct task *task, const struct record *record)
{
	return task_reply_device(task, record, task_device(task),
				 task_device(task)->settings_revision);
}

static struct verdict begin(struct task *task)
{
	return reply(task, &device_record);
}

static struct verdict begin_v0(struct task *task)
{
	return reply(task, &device_v0_record);
}

const struct endpoint endpoint_device_get = {
    .handler = begin,
    ENDPOINT_DEVICE_GET,
};

const struct endpoint endpoint_v0_device_get = {
    .handler = begin_v0,
    ENDPOINT_V0_DEVICE_GET,
};

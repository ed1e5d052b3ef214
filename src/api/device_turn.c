#include "delivery/delivery.h"
#include "endpoints.h"

/* POST /v1/devices/{deviceId}/next - shows the next entry of the rotation. POST
 * /v1/devices/{deviceId}/wake, .../sleep - wakes the panel, or makes it sleep, until the next
 * change of its sleep schedule. */

union turning {
	struct device_turn_row turned;
	struct device_sleep_set_row set;
};

static struct step_result changed(struct task *task, int64_t generation)
{
	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_DEVICE_NOT_FOUND, "there is no such device");
	delivery_device_changed(api_delivery(task), task_device(task)->id, generation);
	return task_reply_empty(task, 200);
}

static struct step_result turned(struct task *task)
{
	return changed(task, ((const union turning *)task_state(task))->turned.generation);
}

static struct step_result turn(struct task *task)
{
	union turning *turning = task_state(task);

	statement_device_turn(task_new_query(task),
			      &(struct device_turn_parameters){task_device(task)->id},
			      &turning->turned);
	return task_query(task, turned);
}

static struct step_result is_set(struct task *task)
{
	return changed(task, ((const union turning *)task_state(task))->set.generation);
}

static struct step_result set(struct task *task, bool is_asleep)
{
	union turning *turning = task_state(task);

	statement_device_sleep_set(
	    task_new_query(task),
	    &(struct device_sleep_set_parameters){task_device(task)->id, is_asleep}, &turning->set);
	return task_query(task, is_set);
}

static struct step_result wake(struct task *task)
{
	return set(task, false);
}

static struct step_result darken(struct task *task)
{
	return set(task, true);
}

ENDPOINT_DEVICE_NEXT(.handler = turn, .state_size = sizeof(union turning));
ENDPOINT_DEVICE_WAKE(.handler = wake, .state_size = sizeof(union turning));
ENDPOINT_DEVICE_SLEEP(.handler = darken, .state_size = sizeof(union turning));

#include "api/operator_note.h"
#include "delivery/delivery.h"
#include "domain/installation.h"
#include "endpoints.h"

/* PUT /v1/devices/{deviceId}/order - puts the entries of a rotation into another order. */

struct reordering {
	struct rotation_order body; /* first: the pre-handler checks read the request into it */
	struct rotation_order_row row;
};

static struct step_result order_set_reply(struct task *task)
{
	return task_reply_empty(task, 200);
}

static struct step_result reordered(struct task *task)
{
	const struct reordering *reordering = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_DEVICE_NOT_FOUND, "there is no such device");
	if (reordering->row.is_stale)
		return task_fail(task, PROBLEM_ROTATION_CHANGED,
				 "the rotation's entries have changed; read the rotation again and "
				 "name all of them");
	delivery_device_changed(api_delivery(task), task_device(task)->id,
				reordering->row.generation);
	return api_note_change(task, "rotation.order", STR(""), order_set_reply);
}

static struct step_result reorder(struct task *task)
{
	struct reordering *reordering = task_state(task);

	statement_rotation_order(task_new_query(task),
				 &(struct rotation_order_parameters){
				     .device_id = task_device(task)->id,
				     .ids = {reordering->body.ids, reordering->body.count},
				 },
				 &reordering->row);
	return task_query(task, reordered);
}

ENDPOINT_ORDER_SET(.handler = reorder, .state_size = sizeof(struct reordering));

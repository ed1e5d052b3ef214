#include "delivery/delivery.h"
#include "own_device.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* DELETE /web/devices/{deviceId} - removes a device with its rotation. Its panel is dropped. */

struct removal {
	struct own_device_remove_row row;
};

static struct step_result removed(struct task *task)
{
	const struct removal *removal = task_state(task);

	if (task_row_count(task) == 0)
		return own_device_fail(task);
	delivery_device_changed(web_delivery(task), task_device(task)->id, removal->row.generation);
	web_changed(task, task_account_id(task), "devices");
	web_changed(task, task_account_id(task), "account");
	web_changed(task, (struct id){0}, "admin");
	return task_reply_empty(task, 200);
}

static struct step_result own_device_remove_begin(struct task *task)
{
	struct removal *removal = task_state(task);

	statement_own_device_remove(task_new_query(task),
				    &(struct own_device_remove_parameters){
					.id = task_device(task)->id,
					.account_id = task_account_id(task),
					.address = web_address(task),
					.session_id = web_session_id(task),
				    },
				    &removal->row);
	return task_query(task, removed);
}

ENDPOINT_OWN_DEVICE_REMOVE(.handler = own_device_remove_begin,
			   .state_size = sizeof(struct removal));

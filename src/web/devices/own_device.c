#include "own_device.h"
#include "base/memory.h"
#include "web/endpoints.h"

/* GET /web/devices/{deviceId} - a device as its owner's pages show it. GET /web/devices shows the
 * same rows with this record. */

_Static_assert(sizeof(struct own_device_list_row) == sizeof(struct own_device_get_row),
	       "the rows are alike");

static const struct record_field own_device_fields[] = {
    RECORD_ROW(struct own_device_get_row, device, &device_full_record, .is_shown = true),
    RECORD_ROW(struct own_device_get_row, device_more, &device_more_record, .is_shown = true),
};
const struct record own_device_record = RECORD(struct own_device_get_row, own_device_fields);

struct delivery *web_delivery(struct task *task)
{
	return web_service_of(task)->api.delivery;
}

/* ---- one ---- */

struct step_result own_device_fail(struct task *task)
{
	return task_fail(task, PROBLEM_DEVICE_NOT_FOUND, "there is no such device");
}

static struct step_result own_device_found(struct task *task)
{
	const struct own_device *own = task_state(task);

	if (task_row_count(task) == 0)
		return own_device_fail(task);
	return task_reply_device(task, &own_device_record, &own->row,
				 own->row.device.settings_revision);
}

void own_device_ask(struct task *task)
{
	struct own_device *own = task_state(task);

	statement_own_device_get(task_new_query(task),
				 &(struct own_device_get_parameters){
				     .id = task_device(task)->id,
				     .account_id = task_account_id(task),
				 },
				 &own->row);
}

struct step_result own_device_reply(struct task *task)
{
	own_device_ask(task);
	return task_query(task, own_device_found);
}

ENDPOINT_OWN_DEVICE_GET(.handler = own_device_reply, .state_size = sizeof(struct own_device));

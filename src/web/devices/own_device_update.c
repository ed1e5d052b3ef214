#include "api/operator_note.h"
#include "base/limits.h"
#include "delivery/delivery.h"
#include "own_device.h"
#include "web/endpoints.h"

/* PATCH /web/devices/{deviceId} - changes settings, by the statement of the public API. POST
 * .../disable and .../enable - refuses the panel, or accepts it again. */

static struct step_result updated(struct task *task)
{
	const struct own_device *own = task_state(task);

	if (task_row_count(task) == 0 && task_expected_revision(task))
		return task_fail_precondition(task);
	if (task_row_count(task) == 0)
		return own_device_fail(task);
	delivery_device_changed(web_delivery(task), own->row.device.id, own->row.device.generation);
	return api_note_change(task, "device.update", STR(""), own_device_reply);
}

static struct step_result shown(struct task *task)
{
	const struct own_device *own = task_state(task);

	if (task_row_count(task) == 0)
		return own_device_fail(task);
	return task_tag(task, &own_device_record, &own->row);
}

static struct step_result find_shown(struct task *task)
{
	own_device_ask(task);
	return task_query(task, shown);
}

static struct step_result update(struct task *task)
{
	struct own_device *own = task_state(task);

	statement_device_update(task_new_query(task),
				&(struct device_update_parameters){
				    .id = task_device(task)->id,
				    .account_id = task_account_id(task),
				    .expected_revision = task_expected_revision(task),
				    .change = &own->change,
				    .change_present = task_body_present(task),
				},
				&own->row.device);
	return task_query(task, updated);
}

static struct step_result allowed(struct task *task)
{
	const struct own_device *own = task_state(task);

	if (task_row_count(task))
		delivery_device_changed(web_delivery(task), task_device(task)->id,
					own->allowed.generation);
	return own_device_reply(task);
}

static struct step_result allow(struct task *task, bool is_disabled)
{
	struct own_device *own = task_state(task);

	statement_own_device_allow(task_new_query(task),
				   &(struct own_device_allow_parameters){
				       .id = task_device(task)->id,
				       .account_id = task_account_id(task),
				       .is_disabled = is_disabled,
				       .address = web_address(task),
				       .session_id = web_session_id(task),
				   },
				   &own->allowed);
	return task_query(task, allowed);
}

static struct step_result disable(struct task *task)
{
	return allow(task, true);
}

static struct step_result enable(struct task *task)
{
	return allow(task, false);
}

ENDPOINT_OWN_DEVICE_UPDATE(.handler = update, .state_size = sizeof(struct own_device),
			   .find_tagged = find_shown);
ENDPOINT_OWN_DEVICE_DISABLE(.handler = disable, .state_size = sizeof(struct own_device));
ENDPOINT_OWN_DEVICE_ENABLE(.handler = enable, .state_size = sizeof(struct own_device));

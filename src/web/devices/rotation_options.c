#include "api/entries.h"
#include "api/operator_note.h"
#include "base/limits.h"
#include "delivery/delivery.h"
#include "domain/entry_change.h"
#include "own_device.h"
#include "web/endpoints.h"

/* PATCH /web/devices/{deviceId}/rotation/{installationId} - whether, when and for how long an entry
 * is shown, and whether it is pinned. PATCH /web/devices/{deviceId}/night - the entry that is shown
 * in the sleep window. */

/* ---- an entry ---- */

struct entry_updating {
	struct entry_change body; /* first: the pre-handler checks read the request into it */
	struct rotation_entry_update_row row;
};

static struct step_result updated(struct task *task)
{
	const struct entry_updating *updating = task_state(task);

	if (task_row_count(task) == 0)
		return api_fail_no_entry(task);
	delivery_device_changed(web_delivery(task), task_device(task)->id,
				updating->row.generation);
	return task_reply_empty(task, 200);
}

static struct step_result update(struct task *task)
{
	struct entry_updating *updating = task_state(task);
	struct rotation_entry_update_parameters parameters;

	api_entry_parameters(task, &updating->body, &parameters);
	statement_rotation_entry_update(task_new_query(task), &parameters, &updating->row);
	return task_query(task, updated);
}

/* ---- the night ---- */

struct night_updating {
	struct night_change body; /* first: the pre-handler checks read the request into it */
	struct rotation_night_update_row row;
};

static struct step_result fail_night_entry(struct task *task)
{
	return task_fail_field(task, "installationId", "is not in the device's rotation");
}

static struct step_result reply_night(struct task *task)
{
	return task_reply_empty(task, 200);
}

static struct step_result night_updated(struct task *task)
{
	const struct night_updating *updating = task_state(task);

	if (task_row_count(task) == 0 && updating->body.installation_id.data)
		return fail_night_entry(task);
	if (task_row_count(task) == 0)
		return own_device_fail(task);
	delivery_device_changed(web_delivery(task), task_device(task)->id,
				updating->row.generation);
	return api_note_change(task, "device.update", STR(""), reply_night);
}

static struct step_result update_night(struct task *task)
{
	struct night_updating *updating = task_state(task);
	const struct night_change *change = &updating->body;

	statement_rotation_night_update(task_new_query(task),
					&(struct rotation_night_update_parameters){
					    .device_id = task_device(task)->id,
					    .sets_entry = change->installation != NULL,
					    .id = change->installation_id,
					    .brightness = (int16_t)change->brightness,
					},
					&updating->row);
	return task_query(task, night_updated);
}

static struct step_result night_refused(struct task *task)
{
	if (task_constraint_error(task) == CONSTRAINT_ENTRY_GONE)
		return fail_night_entry(task);
	return web_fail_constraint(task);
}

ENDPOINT_ROTATION_UPDATE(.handler = update, .state_size = sizeof(struct entry_updating),
			 .refused = api_entry_refused);
ENDPOINT_NIGHT_UPDATE(.handler = update_night, .state_size = sizeof(struct night_updating),
		      .refused = night_refused);

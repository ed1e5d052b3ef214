#include "plan_order.h"
#include "api/operator_note.h"
#include "delivery/delivery.h"
#include "endpoints.h"

/* POST /v1/devices/{deviceId}/sleep, wake, dim and undim. */

enum { TRIES = 3 };

static bool has_line(struct str lines, struct str wanted)
{
	struct str line;

	while (str_next(&lines, '\n', &line)) {
		if (str_equal(line, wanted))
			return true;
	}
	return false;
}

void api_read_plan(struct task *task, const struct device *device,
		   const struct sleep_setting *sleep_set, const struct dim_setting *dim_set,
		   struct str entry_ids, struct planned *ret_planned)
{
	struct plan *plan = &ret_planned->plan;

	plan_parse(device->plan_json, device->place, task_arena(task), plan);
	for (unsigned i = 0; i < plan->count; i++) {
		if (plan->windows[i].entry_id.length &&
		    has_line(entry_ids, plan->windows[i].entry_id))
			plan->windows[i].entry_position = i + 1;
	}
	ret_planned->settings = display_settings_of(device, sleep_set, dim_set, plan);
}

struct step_result api_order_read(struct task *task, struct plan_order *order, task_step *next)
{
	statement_plan_get(task_new_query(task),
			   &(struct plan_get_parameters){task_device(task)->id}, &order->device);
	return task_query(task, next);
}

struct step_result api_order_store(struct task *task, struct plan_order *order, task_step *next)
{
	const struct plan_get_row *row = &order->device;
	struct planned *planned;
	int64_t until_us = 0;
	bool has_end;

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_DEVICE_NOT_FOUND, "there is no such device");
	planned = arena_alloc(task_arena(task), sizeof(*planned));
	api_read_plan(task, &row->device, &row->sleep_setting, &row->dim_setting, STR(""), planned);
	has_end = display_changes_at(&planned->settings,
				     order->is_sleep ? DISPLAY_DARKNESS : DISPLAY_BRIGHTNESS,
				     row->now_at, &until_us);
	/* Without a plan there is nothing to wake from. */
	statement_device_order_set(task_new_query(task),
				   &(struct device_order_set_parameters){
				       .id = row->device.id,
				       .settings_revision = row->device.settings_revision,
				       .is_sleep = order->is_sleep,
				       .is_set = order->is_on || has_end,
				       .is_on = order->is_on,
				       .until_us = has_end ? until_us : 0,
				   },
				   &order->row);
	return task_query(task, next);
}

struct step_result api_order_stored(struct task *task, struct plan_order *order, task_step *again,
				    task_step *next)
{
	if (task_row_count(task) == 0) {
		if (++order->tries < TRIES)
			return again(task);
		return task_fail_busy(task, PROBLEM_DEVICE_BUSY, 1,
				      "the device keeps changing, try again");
	}
	delivery_device_changed(api_delivery(task), task_device(task)->id, order->row.generation);
	return next(task);
}

/* ---- the endpoints ---- */

static struct step_result order_read(struct task *task);

static struct step_result order_reply(struct task *task)
{
	return task_reply_empty(task, 200);
}

static struct step_result order_note(struct task *task)
{
	return api_note_change(task, "device.update", STR(""), order_reply);
}

static struct step_result order_stored(struct task *task)
{
	return api_order_stored(task, task_state(task), order_read, order_note);
}

static struct step_result order_store(struct task *task)
{
	return api_order_store(task, task_state(task), order_stored);
}

static struct step_result order_read(struct task *task)
{
	return api_order_read(task, task_state(task), order_store);
}

static struct step_result order(struct task *task, bool is_sleep, bool is_on)
{
	struct plan_order *made = task_state(task);

	made->is_sleep = is_sleep;
	made->is_on = is_on;
	return order_read(task);
}

static struct step_result order_sleep(struct task *task)
{
	return order(task, true, true);
}

static struct step_result order_wake(struct task *task)
{
	return order(task, true, false);
}

static struct step_result order_dim(struct task *task)
{
	return order(task, false, true);
}

static struct step_result order_undim(struct task *task)
{
	return order(task, false, false);
}

ENDPOINT_DEVICE_SLEEP(.handler = order_sleep, .state_size = sizeof(struct plan_order));
ENDPOINT_DEVICE_WAKE(.handler = order_wake, .state_size = sizeof(struct plan_order));
ENDPOINT_DEVICE_DIM(.handler = order_dim, .state_size = sizeof(struct plan_order));
ENDPOINT_DEVICE_UNDIM(.handler = order_undim, .state_size = sizeof(struct plan_order));

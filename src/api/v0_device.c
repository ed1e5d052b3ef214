#include "delivery/delivery.h"
#include "domain/v0.h"
#include "endpoints.h"
#include "plan_order.h"
#include "task/list.h"

/* GET /v0/devices, GET /v0/devices/{deviceId}, PATCH /v0/devices/{deviceId} - devices in the form
 * of the older API. Their night mode is the sleep window. It is active also in dark windows of the
 * plan, since nightModeActive ends them, too. */

/* Adds what the windows of the device's plan say at that time. */
static void add_plan(struct v0_device *shown, const struct device *device,
		     const struct sleep_setting *sleep_set, const struct dim_setting *dim_set,
		     int64_t now_us)
{
	struct display_settings settings;
	struct arena arena = {0};
	struct plan plan;

	if (device->plan_json.length == 0)
		return;
	plan_parse(device->plan_json, device->place, &arena, &plan);
	settings = display_settings_of(device, sleep_set, dim_set, &plan);
	v0_device_add_level(shown, display_level_at(&settings, now_us));
	arena_finish(&arena);
}

/* ---- all ---- */

static void ask_devices(struct task *task, struct db_query *query, const struct list_range *range)
{
	statement_v0_device_list(
	    query,
	    &(struct v0_device_list_parameters){task_account_id(task), task_key_devices(task)},
	    range);
}

static void complete_device(struct task *task, void *row)
{
	struct v0_device_list_row *listed = row;

	(void)task;
	add_plan(&listed->device_v0, &listed->device, &listed->sleep_setting, &listed->dim_setting,
		 listed->now_at);
}

static const struct task_list list = {
    .letter = 'd',
    .complete = complete_device,
    .ask = ask_devices,
    .order = &v0_device_list_order,
    .record = &device_v0_record,
    .envelope = "devices",
};

static struct step_result begin_list(struct task *task)
{
	return task_reply_list(task, &list);
}

ENDPOINT_V0_DEVICE_LIST(.handler = begin_list);

/* ---- one ---- */

/* State of an endpoint that answers with a device. */
struct v0_state {
	struct v0_device_change change; /* first: a body is read into it */
	struct entries_meant_row meant;
	struct v0_device_update_row updated;
	struct plan_order order;
	struct v0_device_get_row row;
};

static struct step_result fail_none(struct task *task)
{
	return task_fail(task, PROBLEM_DEVICE_NOT_FOUND, "there is no such device");
}

static struct step_result v0_device_ask(struct task *task, task_step *next)
{
	struct v0_state *shown = task_state(task);

	statement_v0_device_get(task_new_query(task),
				&(struct v0_device_get_parameters){
				    .id = task_device(task)->id,
				    .account_id = task_account_id(task),
				},
				&shown->row);
	return task_query(task, next);
}

/* Completes the row that was found. Returns false if there is none. */
static bool v0_device_is_there(struct task *task)
{
	struct v0_device_get_row *row = &((struct v0_state *)task_state(task))->row;

	if (task_row_count(task) == 0)
		return false;
	add_plan(&row->device_v0, &row->device, &row->sleep_setting, &row->dim_setting,
		 row->now_at);
	return true;
}

static struct step_result v0_device_reply(struct task *task)
{
	const struct v0_device *device = &((struct v0_state *)task_state(task))->row.device_v0;

	return task_reply_device(task, &device_v0_record, device, device->settings_revision);
}

static struct step_result v0_device_found(struct task *task)
{
	return v0_device_is_there(task) ? v0_device_reply(task) : fail_none(task);
}

static struct step_result begin_get(struct task *task)
{
	return v0_device_ask(task, v0_device_found);
}

ENDPOINT_V0_DEVICE_GET(.handler = begin_get, .state_size = sizeof(struct v0_state));

/* ---- changes ---- */

static struct step_result tagged(struct task *task)
{
	const struct v0_state *shown = task_state(task);

	return v0_device_is_there(task) ? task_tag(task, &device_v0_record, &shown->row.device_v0)
					: fail_none(task);
}

static struct step_result find_tagged(struct task *task)
{
	return v0_device_ask(task, tagged);
}

/* Sets the device asleep or awake, and then dimmed or not, after its plan was set: until that
 * changes next. */
static struct step_result set_orders(struct task *task);

static struct step_result read_order(struct task *task);

static struct step_result order_stored(struct task *task)
{
	struct v0_state *shown = task_state(task);

	return api_order_stored(task, &shown->order, read_order, set_orders);
}

static struct step_result store_order(struct task *task)
{
	struct v0_state *shown = task_state(task);

	return api_order_store(task, &shown->order, order_stored);
}

static struct step_result read_order(struct task *task)
{
	struct v0_state *shown = task_state(task);

	return api_order_read(task, &shown->order, store_order);
}

static struct step_result set_orders(struct task *task)
{
	struct v0_state *shown = task_state(task);
	struct v0_device_change *change = &shown->change;

	shown->order = (struct plan_order){.is_sleep = change->sets_asleep};
	if (change->sets_asleep) {
		change->sets_asleep = false;
		shown->order.is_on = change->is_asleep;
		return read_order(task);
	}
	if (change->sets_dimmed) {
		change->sets_dimmed = false;
		shown->order.is_on = change->is_dimmed;
		return read_order(task);
	}
	return v0_device_ask(task, v0_device_found);
}

static struct step_result updated(struct task *task)
{
	const struct v0_state *shown = task_state(task);

	if (task_row_count(task) == 0 && task_expected_revision(task))
		return task_fail_precondition(task);
	if (task_row_count(task) == 0)
		return fail_none(task);
	delivery_device_changed(api_delivery(task), task_device(task)->id,
				shown->updated.generation);
	return set_orders(task);
}

/* Entry to set: data is NULL if it stays; an empty text means none. */
static struct str entry_of(bool is_set, struct str meant)
{
	if (!is_set)
		return (struct str){0};
	return meant.data ? meant : STR("");
}

static struct step_result update(struct task *task)
{
	struct v0_state *shown = task_state(task);
	const struct v0_device_change *change = &shown->change;

	statement_v0_device_update(
	    task_new_query(task),
	    &(struct v0_device_update_parameters){
		.id = task_device(task)->id,
		.account_id = task_account_id(task),
		.expected_revision = task_expected_revision(task),
		.change = &change->settings,
		.change_present = v0_device_change_present(change, task_body_present(task)),
		.pinned_id = entry_of(change->sets_pinned, shown->meant.first_id),
		.night_id = entry_of(change->sets_night, shown->meant.second_id),
		.night_brightness =
		    (int16_t)(change->sets_night_brightness ? change->night_brightness : -1),
	    },
	    &shown->updated);
	return task_query(task, updated);
}

static void check_entry(struct task *task, const char *name, struct str told, struct str meant)
{
	if (told.length && !meant.data)
		faults_add(task_faults(task), str_from(name), "is not in the device's rotation");
}

static struct step_result meant(struct task *task)
{
	const struct v0_state *shown = task_state(task);

	check_entry(task, "pinnedApp", shown->change.pinned_entry, shown->meant.first_id);
	check_entry(task, "nightModeApp", shown->change.night_entry, shown->meant.second_id);
	if (task_faults(task)->count)
		return task_fail_faults(task);
	return update(task);
}

static struct str or_empty(struct str text)
{
	return text.data ? text : STR("");
}

static struct step_result change(struct task *task)
{
	struct v0_state *shown = task_state(task);
	const struct v0_device_change *change = &shown->change;

	if (!change->pinned_entry.length && !change->night_entry.length)
		return update(task);
	statement_entries_meant(task_new_query(task),
				&(struct entries_meant_parameters){
				    .device_id = task_device(task)->id,
				    .first = or_empty(change->pinned_entry),
				    .second = or_empty(change->night_entry),
				},
				&shown->meant);
	return task_query(task, meant);
}

static struct step_result compared(struct task *task)
{
	const struct v0_state *shown = task_state(task);

	if (!v0_device_is_there(task))
		return fail_none(task);
	v0_device_change_check_shown(&shown->change, &shown->row.device_v0, task_faults(task));
	if (task_faults(task)->count)
		return task_fail_faults(task);
	return v0_device_change_sets(task_body_present(task)) ? change(task)
							      : v0_device_reply(task);
}

/* An empty body changes nothing, and is not a fault. */
static struct step_result begin_update(struct task *task)
{
	uint64_t present = task_body_present(task);

	if (!present)
		return v0_device_ask(task, v0_device_found);
	return v0_device_change_shows(present) ? v0_device_ask(task, compared) : change(task);
}

static struct step_result refused(struct task *task)
{
	const struct v0_state *shown = task_state(task);

	if (task_constraint_error(task) != CONSTRAINT_ENTRY_GONE)
		return task_fail_constraint(task);
	return task_fail_field(task,
			       shown->change.pinned_entry.length ? "pinnedApp" : "nightModeApp",
			       "is no longer in the device's rotation");
}

ENDPOINT_V0_DEVICE_UPDATE(.handler = begin_update, .state_size = sizeof(struct v0_state),
			  .find_tagged = find_tagged, .refused = refused);

#include "api/operator_note.h"
#include "base/clock.h"
#include "delivery/delivery.h"
#include "domain/plan_change.h"
#include "endpoints.h"
#include "plan_order.h"

/* GET and PUT /v1/devices/{deviceId}/plan - the plan of a device: its windows, what holds now, and
 * what decides that. GET /v1/devices/{deviceId}/rotation - the rotation, which a window of the plan
 * can narrow to one entry. */

struct plan_state {
	struct plan_change change; /* first: the pre-handler checks read the body into it */
	union {
		struct plan_set_row set;
		struct plan_get_row device;
		struct rotation_get_row rotation;
	};
};

static struct step_result fail_none(struct task *task)
{
	return task_fail(task, PROBLEM_DEVICE_NOT_FOUND, "there is no such device");
}

/* ---- as JSON ---- */

static void write_source(struct buffer *json, const char *member, int by)
{
	static const char *const names[] = {"order", "device", "sleep", "autoDim", "dim"};

	buffer_printf(json, "%s\"%s\":", member[0] == 'd' ? "" : ",", member);
	if (by < DISPLAY_BY_WINDOW)
		buffer_printf(json, "\"%s\"", names[by - DISPLAY_BY_ORDER]);
	else
		buffer_printf(json, "\"windows/%d\"", by - DISPLAY_BY_WINDOW);
}

/* 0: null. */
static void write_time(struct buffer *json, int64_t wall_us)
{
	char text[TIMESTAMP_LENGTH + 1];

	timestamp_format(wall_us, text);
	if (wall_us)
		buffer_printf(json, "\"%s\"", text);
	else
		buffer_append_str(json, STR("null"));
}

static void write_order(struct buffer *json, const char *member, const char *order, bool counts,
			int64_t until_us)
{
	buffer_printf(json, "\"%s\":", member);
	buffer_printf(json, counts ? "\"%s\"" : "null", order);
	buffer_printf(json, ",\"%sUntil\":", member);
	write_time(json, counts ? until_us : 0);
}

static void write_now(const struct planned *planned, const struct display_level *level,
		      struct buffer *json)
{
	int64_t entry = level->alone_position;

	buffer_printf(json, ",\"now\":{\"dark\":%s,\"brightness\":%d,\"colorFilter\":\"%.*s\"",
		      level->brightness ? "false" : "true", level->awake_brightness,
		      STR_ARG(color_filter_name(level->filter)));
	buffer_printf(json, ",\"interval\":%d,\"installationId\":", level->interval_s);
	if (entry)
		json_write_str(json, planned->plan.windows[entry - 1].entry_id);
	else
		buffer_append_str(json, STR("null"));
	buffer_append_str(json, STR("},\"by\":{"));
	write_source(json, "dark", level->by.dark);
	write_source(json, "brightness", level->by.brightness);
	write_source(json, "colorFilter", level->by.filter);
	write_source(json, "interval", level->by.interval);
	write_source(json, "installationId", level->by.alone);
}

static void write_plan(const struct planned *planned, int64_t wall_us, struct buffer *json)
{
	const struct display_settings *settings = &planned->settings;
	const struct sleep_setting *sleep = &settings->sleep_set;
	const struct dim_setting *dim = &settings->dim_set;
	int64_t change_us = 0;
	struct display_level level = display_level_at(settings, wall_us);
	struct sun_day sun = plan_sun_today(&planned->plan, settings->zone, wall_us);

	buffer_append_str(json, STR("{\"windows\":"));
	plan_write(&planned->plan, json);
	write_now(planned, &level, json);
	buffer_append_str(json, STR("},\"orders\":{"));
	write_order(json, "sleep", sleep->is_asleep ? "asleep" : "awake",
		    sleep_setting_counts(sleep, wall_us), sleep->until_us);
	buffer_append_str(json, STR(","));
	write_order(json, "dim", dim->is_dimmed ? "dimmed" : "undimmed",
		    dim_setting_counts(dim, wall_us), dim->until_us);
	buffer_append_str(json, STR("},\"nextChangeAt\":"));
	if (!display_changes_at(settings, DISPLAY_ANY, wall_us, &change_us))
		change_us = 0;
	write_time(json, change_us);
	buffer_printf(json, ",\"sun\":{\"rises\":%s,\"sunrise\":%d,\"sunset\":%d}}",
		      sun.has_both ? "true" : "false", sun.sunrise, sun.sunset);
}

/* ---- get ---- */

/* Writes the plan that was found. */
static struct str plan_json(struct task *task)
{
	const struct plan_get_row *row = &((struct plan_state *)task_state(task))->device;
	struct planned *planned = arena_alloc(task_arena(task), sizeof(*planned));
	struct buffer json = {0};
	struct str text;

	api_read_plan(task, &row->device, &row->sleep_setting, &row->dim_setting, row->entry_ids,
		      planned);
	write_plan(planned, row->now_at, &json);
	text = arena_copy(task_arena(task), buffer_view(&json));
	buffer_finish(&json);
	return text;
}

static struct step_result plan_found(struct task *task)
{
	const struct plan_state *state = task_state(task);

	if (task_row_count(task) == 0)
		return fail_none(task);
	return task_reply_settings(task, plan_json(task), state->device.device.settings_revision);
}

static struct step_result plan_tagged(struct task *task)
{
	return task_row_count(task) == 0 ? fail_none(task)
					 : task_tag_settings(task, plan_json(task));
}

static struct step_result plan_ask(struct task *task, task_step *next)
{
	struct plan_state *state = task_state(task);

	statement_plan_get(task_new_query(task),
			   &(struct plan_get_parameters){task_device(task)->id}, &state->device);
	return task_query(task, next);
}

static struct step_result plan_get_begin(struct task *task)
{
	return plan_ask(task, plan_found);
}

static struct step_result plan_find_tagged(struct task *task)
{
	return plan_ask(task, plan_tagged);
}

ENDPOINT_PLAN_GET(.handler = plan_get_begin, .state_size = sizeof(struct plan_state));

/* ---- set ---- */

static struct step_result plan_is_set(struct task *task)
{
	const struct plan_state *state = task_state(task);

	if (task_row_count(task) == 0 && task_expected_revision(task))
		return task_fail_precondition(task);
	if (task_row_count(task) == 0)
		return fail_none(task);
	if (state->set.generation == 0)
		return task_fail_field(
		    task, "windows", "has an installationId that is not in the device's rotation");
	delivery_device_changed(api_delivery(task), task_device(task)->id, state->set.generation);
	return api_note_change(task, "device.update", STR(""), plan_get_begin);
}

static struct step_result plan_set_begin(struct task *task)
{
	struct plan_state *state = task_state(task);
	struct plan *plan = arena_alloc(task_arena(task), sizeof(*plan));
	struct str ids[PLAN_WINDOWS_MAX];
	unsigned count = 0;

	plan_parse(state->change.text, STR(""), task_arena(task), plan);
	for (unsigned i = 0; i < plan->count; i++) {
		if (plan->windows[i].entry_id.length)
			ids[count++] = plan->windows[i].entry_id;
	}
	statement_plan_set(task_new_query(task),
			   &(struct plan_set_parameters){
			       .id = task_device(task)->id,
			       .expected_revision = task_expected_revision(task),
			       .plan = state->change.text,
			       .entry_ids = {ids, count},
			   },
			   &state->set);
	return task_query(task, plan_is_set);
}

ENDPOINT_PLAN_SET(.handler = plan_set_begin, .state_size = sizeof(struct plan_state),
		  .find_tagged = plan_find_tagged);

/* ---- the rotation ---- */

static struct step_result rotation_found(struct task *task)
{
	struct rotation_get_row *row = &((struct plan_state *)task_state(task))->rotation;
	struct planned *planned;

	if (task_row_count(task) == 0)
		return fail_none(task);
	planned = arena_alloc(task_arena(task), sizeof(*planned));
	api_read_plan(task, &row->device, &row->sleep_setting, &row->dim_setting, STR(""), planned);
	row->rotation.is_asleep = display_level_at(&planned->settings, row->now_at).is_asleep;
	return task_reply_record(task, 200, &rotation_record, &row->rotation);
}

static struct step_result ask_rotation(struct task *task, struct str alone_id)
{
	struct plan_state *state = task_state(task);

	statement_rotation_get(task_new_query(task),
			       &(struct rotation_get_parameters){
				   .device_id = task_device(task)->id,
				   .alone_id = alone_id,
			       },
			       &state->rotation);
	return task_query(task, rotation_found);
}

/* Asks for the rotation with the entry that a window shows alone now, if one does. */
static struct step_result rotation_planned(struct task *task)
{
	const struct plan_get_row *row = &((struct plan_state *)task_state(task))->device;
	struct planned *planned;
	int64_t entry;

	if (task_row_count(task) == 0)
		return fail_none(task);
	planned = arena_alloc(task_arena(task), sizeof(*planned));
	api_read_plan(task, &row->device, &row->sleep_setting, &row->dim_setting, row->entry_ids,
		      planned);
	entry = display_level_at(&planned->settings, row->now_at).alone_position;
	return ask_rotation(task,
			    entry ? planned->plan.windows[entry - 1].entry_id : (struct str){0});
}

static struct step_result rotation_begin(struct task *task)
{
	/* A plan narrows the rotation only with entries that it still has. */
	if (task_device(task)->plan_json.length == 0)
		return ask_rotation(task, (struct str){0});
	return plan_ask(task, rotation_planned);
}

ENDPOINT_DEVICE_ROTATION(.handler = rotation_begin, .state_size = sizeof(struct plan_state));

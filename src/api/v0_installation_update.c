#include "domain/v0.h"
#include "endpoints.h"
#include "entry_update.h"
#include "v0_entry.h"

/* PATCH /v0/devices/{deviceId}/installations/{installationId} - the same as in /v1, in the form of
 * the older API. The body's settings replace all stored ones. */

struct update {
	struct v0_installation_change
	    body; /* first: the pre-handler checks read the request into it */
	struct v0_entry named;
	struct entry_update entry;
	struct v0_installation shown;
};

static void give_up(struct settings *settings, struct str name)
{
	if (!settings_find(settings, name))
		settings->items[settings->count++] =
		    (struct setting){.name = name, .is_removed = true};
}

/* Returns the settings of the body, and marks secrets that it does not name as removed. */
static struct settings update_settings(struct task *task, struct entry_update *update,
				       struct settings *ret_stored)
{
	const struct settings *sent = &update->change->settings;
	const struct app_work *work = &update->view.work;
	const struct form *form = &work->form;
	struct settings stored, all = {.member = sent->member};

	*ret_stored = (struct settings){0};
	if (!api_open_secrets(task, work, &stored))
		stored = (struct settings){0};
	all.items =
	    arena_alloc(task_arena(task),
			(sent->count + stored.count + form->count) * sizeof(all.items[0]) + 1);
	for (unsigned i = 0; i < sent->count; i++)
		all.items[all.count++] = sent->items[i];
	for (unsigned i = 0; i < form->count; i++)
		if (form->fields[i].is_secret)
			give_up(&all, form->fields[i].id);
	for (unsigned i = 0; i < stored.count; i++)
		give_up(&all, stored.items[i].name);
	return all;
}

static void update_complete(struct task *task, struct entry_update *update)
{
	struct update *whole = task_state(task);

	v0_set_hours(&whole->body, update->view.row.entry_options.hours, task_arena(task));
}

static struct step_result update_shown(struct task *task)
{
	const struct update *update = task_state(task);

	if (task_row_count(task) == 0)
		return api_fail_no_entry(task);
	return task_reply_record(task, 200, &installation_v0_record, &update->shown);
}

static struct step_result read_shown(struct task *task, task_step *next)
{
	struct update *update = task_state(task);

	statement_v0_installation_get(task_new_query(task),
				      &(struct v0_installation_get_parameters){
					  task_device(task)->id, task_path_parameter(task, 1)},
				      &update->shown);
	return task_query(task, next);
}

static struct step_result update_reply(struct task *task)
{
	return read_shown(task, update_shown);
}

static struct step_result change_entry(struct task *task)
{
	static const struct entry_update_form form = {
	    .complete = update_complete,
	    .settings = update_settings,
	    .reply = update_reply,
	};
	struct update *update = task_state(task);

	update->entry.form = &form;
	update->entry.change = &update->body.entry;
	update->entry.is_of_generation = v0_needs_hours(&update->body);
	return entry_update(task, &update->entry);
}

/* Members that only show, and the interval, which the app sets itself: a body may have what is so.
 */
static struct step_result shown_found(struct task *task)
{
	const struct update *update = task_state(task);
	const struct v0_installation_change *body = &update->body;
	int64_t minutes;

	if (task_row_count(task) == 0)
		return api_fail_no_entry(task);
	v0_installation_change_check_shown(body, &update->shown, task_faults(task));
	if (body->interval && (!json_get_integer(body->interval, &minutes) ||
			       minutes != update->shown.render_interval_min))
		faults_add(task_faults(task), STR("renderIntervalMin"),
			   "cannot be changed here: each app sets its own interval");
	if (task_faults(task)->count)
		return task_fail_faults(task);
	return change_entry(task);
}

/* An empty body changes nothing, and is not a fault. */
static struct step_result entry_named(struct task *task)
{
	struct update *update = task_state(task);

	if (!task_body_present(task) && !task_faults(task)->count)
		return update_reply(task);
	if ((!update->body.interval && !v0_installation_change_shows(task_body_present(task))) ||
	    task_faults(task)->count)
		return change_entry(task);
	return read_shown(task, shown_found);
}

static struct step_result update_begin(struct task *task)
{
	struct update *update = task_state(task);

	return v0_entry_find(task, &update->named, entry_named);
}

static void update_finish(void *state)
{
	installation_view_finish(&((struct update *)state)->entry.view);
}

ENDPOINT_V0_INSTALLATION_UPDATE(.handler = update_begin, .state_size = sizeof(struct update),
				.handles_faults = true, .refused = api_entry_refused,
				.finish = update_finish);

#include "api/entries.h"
#include "api/operator_note.h"
#include "delivery/delivery.h"
#include "domain/v0.h"
#include "endpoints.h"
#include "installation_view.h"
#include "v0_entry.h"

/* PATCH /v1/devices/{deviceId}/installations/{installationId} - changes what its owner can set, by
 * one statement for the whole body. Its panel follows at once. PATCH
 * /v0/devices/{deviceId}/installations/{installationId} - the same in the form of /v0, whose
 * settings replace all stored ones. */

/* Limit of attempts while others change the device: each failed attempt means that another change
 * succeeded. */
enum { TRIES = 8 };

struct update {
	union {
		struct entry_change
		    body; /* first: the pre-handler checks read the request into it */
		struct v0_installation_change body_v0;
	};
	bool is_v0;
	struct v0_entry entry;
	struct v0_installation shown; /* for callers of /v0 */
	struct installation_view view;
	struct rotation_entry_update_row row;
	unsigned tries;
};

_Static_assert(offsetof(struct v0_installation_change, entry) == 0,
	       "one body begins with the other");

static struct step_result find(struct task *task);

static struct step_result read_v0(struct task *task)
{
	const struct update *update = task_state(task);

	if (task_row_count(task) == 0)
		return api_fail_no_entry(task);
	return task_reply_record(task, 200, &installation_v0_record, &update->shown);
}

static struct step_result ask_v0(struct task *task)
{
	struct update *update = task_state(task);

	statement_v0_installation_get(task_new_query(task),
				      &(struct v0_installation_get_parameters){
					  task_device(task)->id, task_path_parameter(task, 1)},
				      &update->shown);
	return task_query(task, read_v0);
}

static struct step_result read_again(struct task *task)
{
	struct update *update = task_state(task);

	if (task_row_count(task) == 0)
		return api_fail_no_entry(task);
	installation_view_make(task, &update->view);
	return installation_view_reply(task, &update->view);
}

/* Reads the installation again: it was removed or changed. */
static struct step_result lost(struct task *task)
{
	struct update *update = task_state(task);

	if (++update->tries == TRIES)
		return task_fail(task, PROBLEM_INSTALLATION_CHANGED,
				 "the installation has changed in the meantime, try again");
	installation_view_finish(&update->view);
	update->view = (struct installation_view){0};
	return find(task);
}

static struct step_result look_again(struct task *task)
{
	struct update *update = task_state(task);

	if (update->is_v0)
		return ask_v0(task);
	return installation_view_read(task, &update->view, read_again);
}

static struct step_result updated(struct task *task)
{
	struct update *update = task_state(task);

	if (task_row_count(task) == 0)
		return lost(task);
	delivery_device_changed(api_delivery(task), task_device(task)->id, update->row.generation);
	return api_note_change(task, "entry.update", task_path_parameter(task, 1), look_again);
}

static struct step_result change(struct task *task, const struct stored_settings *stored)
{
	struct update *update = task_state(task);
	struct rotation_entry_update_parameters parameters;

	api_entry_parameters(task, &update->body, &parameters);
	if (stored)
		api_entry_settings(&parameters, &update->view.work, stored);
	if (task_expected_revision(task) || (update->is_v0 && v0_needs_hours(&update->body_v0)))
		parameters.expected_generation = update->view.row.generation;
	statement_rotation_entry_update(task_new_query(task), &parameters, &update->row);
	return task_query(task, updated);
}

static void give_up(struct settings *settings, struct str name)
{
	if (!settings_find(settings, name))
		settings->items[settings->count++] =
		    (struct setting){.name = name, .is_removed = true};
}

/* Returns the settings of the body, and marks secrets that it does not name as removed. */
static struct settings in_place_of_all(struct task *task, const struct app_work *work,
				       const struct settings *sent)
{
	const struct form *form = &work->form;
	struct settings stored, all = {.member = sent->member};

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

/* Replaces the settings that the body names; the others stay, except with a body of /v0. */
static struct step_result change_with_settings(struct task *task)
{
	struct update *update = task_state(task);
	struct app_work *work = &update->view.work;
	struct settings sent = update->body.settings, stored = {0}, all;
	struct stored_settings made;
	struct step_result answer;

	if (update->is_v0)
		sent = in_place_of_all(task, work, &sent);
	else
		settings_parse(work->source.settings, task_arena(task), &stored);
	settings_change(&stored, &sent, &work->form, task_faults(task), &all);
	if (!api_accept_settings(task, work, &all, &answer))
		return answer;
	api_encrypt_settings(task, task_device(task)->id, task_path_parameter(task, 1), work,
			     &made);
	return change(task, &made);
}

static struct step_result found(struct task *task)
{
	struct update *update = task_state(task);
	struct installation_view *view = &update->view;
	struct buffer json = {0};
	struct step_result answer;

	installation_view_make(task, view);
	/* The form of /v0 has no such tag. */
	if (!update->is_v0) {
		record_write_json(&installation_detail_record, &view->detail, &json);
		task_tag_target(task, view->revision, buffer_view(&json));
		buffer_finish(&json);
		if (task_fails_precondition(task, &answer))
			return answer;
	}
	if (json_is_object(update->body.settings_value) && view->row.installation.is_pushed &&
	    !faults_has(task_faults(task), update->body.settings.member))
		faults_add(task_faults(task), update->body.settings.member,
			   "must be left out for a pushed image");
	if (task_faults(task)->count)
		return task_fail_faults(task);
	if (update->is_v0)
		v0_set_hours(&update->body_v0, view->row.entry_options.hours, task_arena(task));
	return update->body.settings_value ? change_with_settings(task) : change(task, NULL);
}

static struct step_result find(struct task *task)
{
	struct update *update = task_state(task);
	bool has_settings = update->body.settings_value && task_faults(task)->count == 0;

	return installation_view_find(task, &update->view,
				      has_settings ? &update->body.settings : NULL, found);
}

/* Members that only show, and the interval, which the app sets itself: a body may have what is so.
 */
static struct step_result shown_found(struct task *task)
{
	const struct update *update = task_state(task);
	const struct v0_installation_change *body = &update->body_v0;
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
	return find(task);
}

/* An empty body changes nothing, and is not a fault. */
static struct step_result find_v0(struct task *task)
{
	struct update *update = task_state(task);
	bool has_change = task_body_present(task) || task_faults(task)->count;

	if (!has_change)
		return ask_v0(task);
	if ((!update->body_v0.interval && !v0_installation_change_shows(task_body_present(task))) ||
	    task_faults(task)->count)
		return find(task);
	statement_v0_installation_get(task_new_query(task),
				      &(struct v0_installation_get_parameters){
					  task_device(task)->id, task_path_parameter(task, 1)},
				      &update->shown);
	return task_query(task, shown_found);
}

static struct step_result begin_v0(struct task *task)
{
	struct update *update = task_state(task);

	update->is_v0 = true;
	return v0_entry_find(task, &update->entry, find_v0);
}

static void finish(void *state)
{
	installation_view_finish(&((struct update *)state)->view);
}

const struct endpoint endpoint_installation_update = {
    .handler = find,
    .state_size = sizeof(struct update),
    .handles_faults = true,
    .refused = api_entry_refused,
    .finish = finish,
    ENDPOINT_INSTALLATION_UPDATE,
};

const struct endpoint endpoint_v0_installation_update = {
    .handler = begin_v0,
    .state_size = sizeof(struct update),
    .handles_faults = true,
    .refused = api_entry_refused,
    .finish = finish,
    ENDPOINT_V0_INSTALLATION_UPDATE,
};

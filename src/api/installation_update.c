#include "api/entries.h"
#include "api/operator_note.h"
#include "delivery/delivery.h"
#include "endpoints.h"
#include "installation_view.h"

/* PATCH /v1/devices/{deviceId}/installations/{installationId} - changes what its owner can set, all
 * of the body in one statement. Its panel follows at once. */

/* Limit of attempts while others change the device: each of these has made its change. */
enum { TRIES = 8 };

struct update {
	struct entry_change body; /* first: the prologue reads the request into it */
	struct installation_view view;
	struct rotation_entry_update_row row;
	unsigned tries;
};

static struct verdict find(struct task *task);

static struct verdict read_again(struct task *task)
{
	struct update *update = task_state(task);

	if (task_row_count(task) == 0)
		return api_fail_no_entry(task);
	installation_view_make(task, &update->view);
	return installation_view_reply(task, &update->view);
}

/* Reads the installation again: it is gone, or not what it was. */
static struct verdict lost(struct task *task)
{
	struct update *update = task_state(task);

	if (++update->tries == TRIES)
		return task_fail(task, 409, "the installation was changed meanwhile, try again");
	installation_view_finish(&update->view);
	update->view = (struct installation_view){0};
	return find(task);
}

static struct verdict look_again(struct task *task)
{
	struct update *update = task_state(task);

	return installation_view_read(task, &update->view, read_again);
}

static struct verdict updated(struct task *task)
{
	struct update *update = task_state(task);

	if (task_row_count(task) == 0)
		return lost(task);
	delivery_device_changed(api_delivery(task), task_device(task)->id, update->row.generation);
	return api_note_change(task, "entry.update", task_path_parameter(task, 1), look_again);
}

static struct verdict change(struct task *task, const struct stored_settings *stored)
{
	struct update *update = task_state(task);
	struct rotation_entry_update_parameters parameters;

	api_entry_parameters(task, &update->body, &parameters);
	if (stored)
		api_entry_settings(&parameters, &update->view.work, stored);
	if (task_expected_revision(task))
		parameters.expected_generation = update->view.row.generation;
	statement_rotation_entry_update(task_new_query(task), &parameters, &update->row);
	return task_query(task, updated);
}

/* Replaces the settings that the body names; the others stay. */
static struct verdict change_with_settings(struct task *task)
{
	struct update *update = task_state(task);
	struct app_work *work = &update->view.work;
	struct settings stored, all;
	struct stored_settings made;
	struct verdict answer;

	if (!work->has_form)
		return api_fail_no_form(task, work);
	if (!api_knows_settings(task, work, &update->body.settings, &answer))
		return answer;
	settings_parse(work->source.settings, task_arena(task), &stored);
	settings_change(&stored, &update->body.settings, &work->form, task_faults(task), &all);
	if (!api_take_settings(task, work, &all, &answer))
		return answer;
	api_seal_settings(task, task_device(task)->id, task_path_parameter(task, 1), work, &made);
	return change(task, &made);
}

static struct verdict found(struct task *task)
{
	struct update *update = task_state(task);
	struct installation_view *view = &update->view;
	struct buffer json = {0};
	struct verdict answer;

	installation_view_make(task, view);
	record_write_json(&installation_detail_record, &view->detail, &json);
	task_tag_target(task, view->revision, buffer_view(&json));
	buffer_finish(&json);
	if (task_fails_precondition(task, &answer))
		return answer;
	if (json_is_object(update->body.settings_value) && view->row.installation.is_pushed)
		faults_add(task_faults(task), STR("settings"),
			   "must be left out for a pushed image");
	if (task_faults(task)->count)
		return task_fail_faults(task);
	return update->body.settings_value ? change_with_settings(task) : change(task, NULL);
}

static struct verdict find(struct task *task)
{
	struct update *update = task_state(task);
	bool has_settings = update->body.settings_value && task_faults(task)->count == 0;

	return installation_view_find(task, &update->view,
				      has_settings ? &update->body.settings : NULL, found);
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

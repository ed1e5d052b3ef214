#include "entry_update.h"
#include "api/operator_note.h"
#include "delivery/delivery.h"
#include "endpoints.h"

/* Limit of attempts while others change the device: each failed attempt means that another change
 * succeeded. */
enum { TRIES = 8 };

/* The view's work is the task's helper. */
static struct entry_update *update_of(struct task *task)
{
	struct app_work *work = *task_helper(task);

	return container_of(work, struct entry_update, view.work);
}

static struct step_result find_entry(struct task *task, struct entry_update *update);

/* Reads the installation again: it was removed or changed. */
static struct step_result find_changed_entry(struct task *task, struct entry_update *update)
{
	if (++update->tries == TRIES)
		return task_fail(task, PROBLEM_INSTALLATION_CHANGED,
				 "the installation has changed in the meantime, try again");
	installation_view_finish(&update->view);
	update->view = (struct installation_view){0};
	return find_entry(task, update);
}

static struct step_result entry_updated(struct task *task)
{
	struct entry_update *update = update_of(task);

	if (task_row_count(task) == 0)
		return find_changed_entry(task, update);
	delivery_device_changed(api_delivery(task), task_device(task)->id, update->row.generation);
	return api_note_change(task, "entry.update", task_path_parameter(task, 1),
			       update->form->reply);
}

static struct step_result change_entry(struct task *task, const struct stored_settings *stored)
{
	struct entry_update *update = update_of(task);
	struct rotation_entry_update_parameters parameters;

	api_entry_parameters(task, update->change, &parameters);
	if (stored)
		api_entry_settings(&parameters, &update->view.work, stored);
	if (task_expected_revision(task) || update->is_of_generation)
		parameters.expected_generation = update->view.row.generation;
	statement_rotation_entry_update(task_new_query(task), &parameters, &update->row);
	return task_query(task, entry_updated);
}

static struct step_result change_settings(struct task *task)
{
	struct entry_update *update = update_of(task);
	struct app_work *work = &update->view.work;
	struct settings stored = {0}, all;
	struct settings sent = update->form->settings(task, update, &stored);
	struct stored_settings made;
	struct step_result answer;

	settings_change(&stored, &sent, &work->form, task_faults(task), &all);
	if (!api_accept_settings(task, work, &all, &answer))
		return answer;
	api_encrypt_settings(task, task_device(task)->id, task_path_parameter(task, 1), work,
			     &made);
	return change_entry(task, &made);
}

static struct step_result entry_found(struct task *task)
{
	struct entry_update *update = update_of(task);
	const struct entry_change *change = update->change;
	struct step_result answer;

	installation_view_make(task, &update->view);
	if (update->form->fails_precondition &&
	    update->form->fails_precondition(task, update, &answer))
		return answer;
	if (json_is_object(change->settings_value) && update->view.row.installation.is_pushed &&
	    !faults_has(task_faults(task), change->settings.member))
		faults_add(task_faults(task), change->settings.member,
			   "must be left out for a pushed image");
	if (task_faults(task)->count)
		return task_fail_faults(task);
	if (update->form->complete)
		update->form->complete(task, update);
	return change->settings_value ? change_settings(task) : change_entry(task, NULL);
}

static struct step_result find_entry(struct task *task, struct entry_update *update)
{
	bool has_settings = update->change->settings_value && task_faults(task)->count == 0;

	return installation_view_find(task, &update->view,
				      has_settings ? &update->change->settings : NULL, entry_found);
}

struct step_result entry_update(struct task *task, struct entry_update *update)
{
	return find_entry(task, update);
}

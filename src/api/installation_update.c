#include "endpoints.h"
#include "entry_update.h"

/* PATCH /v1/devices/{deviceId}/installations/{installationId} - changes what its owner can set. */

struct update {
	struct entry_change body; /* first: the pre-handler checks read the request into it */
	struct entry_update entry;
};

static bool update_fails_precondition(struct task *task, struct entry_update *update,
				      struct step_result *ret_answer)
{
	struct buffer json = {0};

	record_write_json(&installation_detail_record, &update->view.detail, &json);
	task_tag_target(task, update->view.revision, buffer_view(&json));
	buffer_finish(&json);
	return task_fails_precondition(task, ret_answer);
}

/* Replaces the settings that the body names; the others stay. */
static struct settings update_settings(struct task *task, struct entry_update *update,
				       struct settings *ret_stored)
{
	settings_parse(update->view.work.source.settings, task_arena(task), ret_stored);
	return update->change->settings;
}

static struct step_result update_read(struct task *task)
{
	struct update *update = task_state(task);

	if (task_row_count(task) == 0)
		return api_fail_no_entry(task);
	installation_view_make(task, &update->entry.view);
	return installation_view_reply(task, &update->entry.view);
}

static struct step_result update_reply(struct task *task)
{
	struct update *update = task_state(task);

	return installation_view_read(task, &update->entry.view, update_read);
}

static struct step_result update_begin(struct task *task)
{
	static const struct entry_update_form form = {
	    .fails_precondition = update_fails_precondition,
	    .settings = update_settings,
	    .reply = update_reply,
	};
	struct update *update = task_state(task);

	update->entry.form = &form;
	update->entry.change = &update->body;
	return entry_update(task, &update->entry);
}

static void update_finish(void *state)
{
	installation_view_finish(&((struct update *)state)->entry.view);
}

ENDPOINT_INSTALLATION_UPDATE(.handler = update_begin, .state_size = sizeof(struct update),
			     .handles_faults = true, .refused = api_entry_refused,
			     .finish = update_finish);

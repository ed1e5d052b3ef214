#include "installation_view.h"
#include "api/entries.h"
#include "endpoints.h"
#include "record/json.h"

struct step_result installation_view_read(struct task *task, struct installation_view *view,
					  task_step *next)
{
	view->row = (struct installation_get_row){0};
	statement_installation_get(task_new_query(task),
				   &(struct installation_get_parameters){
				       .device_id = task_device(task)->id,
				       .id = task_path_parameter(task, 1),
				   },
				   &view->row);
	return task_query(task, next);
}

/* ---- with its form ---- */

static struct installation_view *view_of(struct task *task)
{
	struct app_work *work = *task_helper(task);

	return container_of(work, struct installation_view, work);
}

static struct step_result app_found(struct task *task)
{
	struct installation_view *view = view_of(task);

	if (view->sent)
		return api_find_whole_form(task, &view->work, view->sent, view->next);
	return api_find_form(task, &view->work, view->next);
}

static struct step_result row_found(struct task *task)
{
	struct installation_view *view = view_of(task);
	char *device;

	if (task_row_count(task) == 0)
		return api_fail_no_entry(task);
	if (view->row.installation.is_pushed)
		return task_continue(task, view->next);
	device = arena_alloc(task_arena(task), ID_TEXT_LENGTH + 1);
	id_format(task_device(task)->id, device);
	return api_find_app(task, &view->work, STR(""), str_from(device),
			    task_path_parameter(task, 1), app_found);
}

struct step_result installation_view_find(struct task *task, struct installation_view *view,
					  const struct settings *sent, task_step *next)
{
	*task_helper(task) = &view->work;
	view->sent = sent;
	view->next = next;
	return installation_view_read(task, view, row_found);
}

/* ---- shown ---- */

static struct str copy_of(struct task *task, struct buffer *json)
{
	struct str text = arena_copy(task_arena(task), buffer_view(json));

	buffer_finish(json);
	return text;
}

void installation_view_make(struct task *task, struct installation_view *view)
{
	struct installation_detail *detail = &view->detail;
	struct app_source_row *source = &view->work.source;
	struct buffer settings = {0}, secrets = {0};

	*detail = (struct installation_detail){
	    .installation = view->row.installation,
	    .options = view->row.entry_options,
	    .secrets = STR("[]"),
	    .expires_at_us = view->row.expires_at,
	};
	view->revision =
	    installation_revision(&detail->options, view->row.settings_hash, detail->expires_at_us);
	if (detail->installation.is_pushed)
		return;
	source->settings = view->row.settings;
	source->secret_settings = view->row.secret_settings;
	source->settings_hash = view->row.settings_hash;
	api_write_settings(task, &settings, &view->work);
	detail->settings = copy_of(task, &settings);
	api_write_secrets(task, &secrets, &view->work);
	detail->secrets = copy_of(task, &secrets);
}

struct step_result installation_view_reply(struct task *task, const struct installation_view *view)
{
	return task_reply_device(task, &installation_detail_record, &view->detail, view->revision);
}

void installation_view_finish(struct installation_view *view)
{
	app_work_finish(&view->work);
}

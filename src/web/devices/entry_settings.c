#include "api/entries.h"
#include "base/limits.h"
#include "delivery/delivery.h"
#include "own_device.h"
#include "record/json.h"
#include "web/apps/app_answer.h"
#include "web/endpoints.h"

/* GET and PUT /web/devices/{deviceId}/rotation/{installationId}/settings - the settings of an app's
 * installation. Secret settings can be set, and are never shown again. */

struct entry_settings {
	struct app_body body; /* first: the pre-handler checks read the request into it */
	struct app_work work;
	struct rotation_entry_update_row row;
};

static struct step_result entry_settings_find(struct task *task, task_step *next)
{
	struct entry_settings *entry = task_state(task);
	char *device = arena_alloc(task_arena(task), ID_TEXT_LENGTH + 1);

	id_format(task_device(task)->id, device);
	return api_find_app(task, &entry->work, STR(""), str_from(device),
			    task_path_parameter(task, 1), next);
}

/* ---- reading ---- */

static void write_app(struct buffer *json, const struct app_source_row *source)
{
	char id[ID_TEXT_LENGTH + 1];

	id_format(source->app_id, id);
	buffer_printf(json, "\"app\":{\"id\":\"%s\",\"slug\":", id);
	json_write_str(json, source->slug);
	buffer_append_str(json, STR(",\"name\":"));
	json_write_str(json, source->name);
	buffer_append_char(json, '}');
}

static struct step_result entry_settings_reply(struct task *task)
{
	struct entry_settings *entry = task_state(task);
	struct app_work *work = &entry->work;
	struct buffer json = {0};
	struct step_result answer;

	buffer_append_char(&json, '{');
	write_app(&json, &work->source);
	buffer_append_str(&json, STR(",\"settings\":"));
	api_write_settings(task, &json, work);
	buffer_append_str(&json, STR(",\"secrets\":"));
	api_write_secrets(task, &json, work);
	buffer_append_char(&json, ',');
	app_write_form(&json, work);
	buffer_append_char(&json, '}');
	answer = task_reply_json(task, 200, &json);
	buffer_finish(&json);
	return answer;
}

static struct step_result entry_settings_found(struct task *task)
{
	struct entry_settings *entry = task_state(task);

	return api_find_form(task, &entry->work, entry_settings_reply);
}

static struct step_result get(struct task *task)
{
	return entry_settings_find(task, entry_settings_found);
}

/* ---- changing ---- */

static struct step_result changed(struct task *task)
{
	const struct entry_settings *entry = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_INSTALLATION_CHANGED,
				 "the settings or the app's version have changed; load them again");
	delivery_device_changed(web_delivery(task), task_device(task)->id, entry->row.generation);
	return task_reply_empty(task, 200);
}

static struct step_result form_found(struct task *task)
{
	struct entry_settings *entry = task_state(task);
	struct app_work *work = &entry->work;
	struct stored_settings stored;
	struct rotation_entry_update_parameters parameters;
	struct step_result answer;

	if (!api_accept_settings(task, work, &entry->body.settings, &answer))
		return answer;
	api_encrypt_settings(task, task_device(task)->id, task_path_parameter(task, 1), work,
			     &stored);
	api_entry_parameters(task, &(struct entry_change){0}, &parameters);
	api_entry_settings(&parameters, work, &stored);
	statement_rotation_entry_update(task_new_query(task), &parameters, &entry->row);
	return task_query(task, changed);
}

static struct step_result found_for_change(struct task *task)
{
	struct entry_settings *entry = task_state(task);

	return api_find_whole_form(task, &entry->work, &entry->body.settings, form_found);
}

static struct step_result set(struct task *task)
{
	return entry_settings_find(task, found_for_change);
}

static void entry_settings_finish(void *state)
{
	app_work_finish(&((struct entry_settings *)state)->work);
}

ENDPOINT_ENTRY_SETTINGS_GET(.handler = get, .state_size = sizeof(struct entry_settings),
			    .finish = entry_settings_finish);
ENDPOINT_ENTRY_SETTINGS_SET(.handler = set, .state_size = sizeof(struct entry_settings),
			    .finish = entry_settings_finish);

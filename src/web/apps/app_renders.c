#include "app_answer.h"
#include "domain/app_render.h"
#include "record/json.h"
#include "web/access.h"
#include "web/endpoints.h"

/* GET /web/devices/{deviceId}/rotation/{installationId}/render - the last render of an
 * installation, for its owner; GET /web/studio/{appId}/renders - renders of the deployed version,
 * for its author, without settings of others, and with output only from the author's own devices.
 */

static struct str kept(struct task *task, struct buffer *json)
{
	struct str text = arena_copy(task_arena(task), buffer_view(json));

	buffer_finish(json);
	return text;
}

static struct str lines_of(struct task *task, struct str text, char separator)
{
	struct buffer json = {0};

	app_write_lines(&json, text, separator);
	return kept(task, &json);
}

static struct step_result entry_found(struct task *task)
{
	struct entry_render *render = task_state(task);
	struct buffer json = {0};

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_INSTALLATION_NOT_FOUND,
				 "the device has no such installation of an app");
	app_write_kept_problem(task, &json, render->problem);
	render->problem = kept(task, &json);
	render->log = lines_of(task, render->log, '\n');
	render->hosts = lines_of(task, render->hosts, ' ');
	return task_reply_record(task, 200, &entry_render_record, render);
}

static struct step_result get_entry(struct task *task)
{
	statement_entry_render(task_new_query(task),
			       &(struct entry_render_parameters){
				   .device_id = task_device(task)->id,
				   .id = task_path_parameter(task, 1),
			       },
			       task_state(task));
	return task_query(task, entry_found);
}

/* ---- for authors ---- */

/* Writes a line of app_renders.sql: an object that displayd wrote, except its problem. Returns
 * false if it is invalid. */
static bool write_failure(struct task *task, struct str line, struct buffer *json)
{
	struct json_document document = {0};
	struct str rendered_at, paused_until, reason;
	int64_t failures;
	bool is_good;

	if (!json_parse(line, task_arena(task), &document, &reason))
		return false;
	is_good = json_get_str(json_member(document.root, "renderedAt"), &rendered_at) &&
		  json_get_integer(json_member(document.root, "failures"), &failures);
	if (is_good) {
		buffer_append_str(json, STR("{\"problem\":"));
		app_write_problem_value(json, json_member(document.root, "problem"));
		buffer_append_str(json, STR(",\"renderedAt\":"));
		json_write_str(json, rendered_at);
		buffer_printf(json, ",\"failures\":%lld,\"pausedUntil\":", (long long)failures);
		if (json_get_str(json_member(document.root, "pausedUntil"), &paused_until))
			json_write_str(json, paused_until);
		else
			buffer_append_str(json, STR("null"));
		buffer_append_char(json, '}');
	}
	json_document_finish(&document);
	return is_good;
}

static struct str failures_of(struct task *task, struct str lines)
{
	struct buffer json = {0};
	struct str line;

	buffer_append_char(&json, '[');
	while (lines.length && str_next(&lines, '\n', &line))
		if (write_failure(task, line, &json))
			buffer_append_char(&json, ',');
	if (buffer_length(&json) > 1)
		json.end--;
	buffer_append_char(&json, ']');
	return kept(task, &json);
}

static struct step_result app_found(struct task *task)
{
	struct app_renders *renders = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_APP_NOT_FOUND, "there is no such app");
	renders->own_log = lines_of(task, renders->own_log, '\n');
	renders->failures = failures_of(task, renders->failures);
	return task_reply_record(task, 200, &app_renders_record, renders);
}

static struct step_result get_app(struct task *task)
{
	statement_app_renders(task_new_query(task),
			      &(struct app_renders_parameters){task_app(task)->id},
			      task_state(task));
	return task_query(task, app_found);
}

ENDPOINT_ENTRY_RENDER(.handler = get_entry, .state_size = sizeof(struct entry_render));
ENDPOINT_APP_RENDERS(.handler = get_app, .state_size = sizeof(struct app_renders));

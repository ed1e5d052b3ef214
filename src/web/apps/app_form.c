#include "app_answer.h"
#include "web/access.h"
#include "web/endpoints.h"

/* GET /web/apps/{appId}/schema - the form of an app. */

struct get {
	struct app_work work;
};

static void write_form(void *argument, struct arena *arena, struct buffer *json)
{
	const struct get *get = argument;

	(void)arena;
	buffer_append_char(json, '{');
	app_write_form(json, &get->work);
	buffer_append_char(json, '}');
}

static struct step_result app_form_reply(struct task *task)
{
	struct get *get = task_state(task);

	return task_reply_written(task, 200, get->work.form_bytes, write_form, get);
}

static struct step_result app_form_found(struct task *task)
{
	struct get *get = task_state(task);

	return api_find_form(task, &get->work, app_form_reply);
}

static struct step_result app_form_begin(struct task *task)
{
	struct get *get = task_state(task);
	struct str device = http_request_query(task_request(task), STR("deviceId"));

	if (!device.data)
		device = STR("");
	else if (!http_decode(task_arena(task), device, &device))
		return task_fail(task, PROBLEM_PARAMETER_INVALID,
				 "deviceId must be percent-encoded UTF-8");
	get->work.is_only_looked_at = true;
	return api_find_app(task, &get->work, task_path_parameter(task, 0), device, STR(""),
			    app_form_found);
}

static void app_form_finish(void *state)
{
	app_work_finish(&((struct get *)state)->work);
}

ENDPOINT_APP_FORM(.handler = app_form_begin, .state_size = sizeof(struct get),
		  .finish = app_form_finish);

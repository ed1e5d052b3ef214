#include "api/app_work.h"
#include "domain/form_schema.h"
#include "endpoints.h"

/* GET /v1/apps/{appId}/schema - the form of an app, as JSON Schema. The script gets no network for
 * it. */

struct get {
	struct app_work work;
};

static void write_schema(void *argument, struct arena *arena, struct buffer *json)
{
	const struct get *get = argument;

	(void)arena;
	form_write_schema(&get->work.form, get->work.source.name, json);
}

static struct step_result app_schema_reply(struct task *task)
{
	struct get *get = task_state(task);

	if (!get->work.has_form)
		return api_fail_no_form(task, &get->work);
	return task_reply_written(task, 200, get->work.form_bytes, write_schema, get);
}

static struct step_result app_schema_found(struct task *task)
{
	struct get *get = task_state(task);

	return api_find_form(task, &get->work, app_schema_reply);
}

static struct step_result app_schema_begin(struct task *task)
{
	struct get *get = task_state(task);

	get->work.is_only_looked_at = true;
	return api_find_app(task, &get->work, task_path_parameter(task, 0), STR(""), STR(""),
			    app_schema_found);
}

static void app_schema_finish(void *state)
{
	app_work_finish(&((struct get *)state)->work);
}

ENDPOINT_APP_SCHEMA(.handler = app_schema_begin, .state_size = sizeof(struct get),
		    .finish = app_schema_finish);

#include "app_answer.h"
#include "base/limits.h"
#include "domain/settings_mask.h"
#include "web/access.h"
#include "web/endpoints.h"

/* POST /web/apps/{appId}/handler, POST /web/studio/{appId}/handler, POST
 * /web/reviews/{versionId}/handler - calls a handler of an app, a draft, or a version in review,
 * for the options or further fields of a field. */

struct call {
	struct app_body body; /* first: the pre-handler checks read the request into it */
	struct app_work work;
	struct review_source_row scripts;
	const struct form_field *field;
};

/* Result of a handler, in the form of HandlerAnswer. */
struct returned {
	struct form_option *options;
	unsigned option_count;
	struct form form;
};

/* Masks the installation's secrets in the handler's result. */
struct masking {
	const struct settings *secret;
	struct arena *arena;
};

static void mask(const struct masking *masking, struct str *text)
{
	*text = settings_mask(masking->secret, *text, masking->arena);
}

static void mask_options(const struct masking *masking, struct form_option *options, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		mask(masking, &options[i].display);
		mask(masking, &options[i].text);
		mask(masking, &options[i].value);
	}
}

/* Masks all texts that people read or choose; IDs of fields stay. */
static void mask_fields(const struct masking *masking, struct form *form)
{
	for (unsigned i = 0; i < form->count; i++) {
		struct form_field *field = &form->fields[i];
		size_t size = field->option_count * sizeof(field->options[0]);
		struct form_option *options = arena_alloc(masking->arena, size + 1);

		if (size)
			memcpy(options, field->options, size);
		mask_options(masking, options, field->option_count);
		field->options = options;
		mask(masking, &field->name);
		mask(masking, &field->description);
		mask(masking, &field->default_value);
		mask(masking, &field->visibility.value);
	}
}

static void read_result(struct call *call, struct arena *arena, struct returned *ret)
{
	struct engine_answer *answer = &call->work.job.answer;
	struct masking masking = {&call->work.secret, arena};
	struct str reason = {0};
	bool is_good;

	*ret = (struct returned){0};
	if (answer->problem.kind != ENGINE_DONE)
		return;
	if (call->field->type == FORM_GENERATED)
		is_good = form_read(answer->result, arena, &ret->form, &reason);
	else
		is_good = form_read_options(answer->result, arena, &ret->options,
					    &ret->option_count, &reason);
	mask_fields(&masking, &ret->form);
	mask_options(&masking, ret->options, ret->option_count);
	mask(&masking, &reason);
	if (!is_good)
		answer->problem = (struct engine_problem){
		    .kind = ENGINE_WRONG_SCRIPT,
		    .message = reason,
		};
}

static void write_answer(void *argument, struct arena *arena, struct buffer *json)
{
	struct call *call = argument;
	struct returned returned;

	read_result(call, arena, &returned);
	buffer_append_str(json, STR("{\"options\":"));
	form_write_options(returned.options, returned.option_count, json);
	buffer_append_str(json, STR(",\"fields\":"));
	form_write(&returned.form, json);
	buffer_append_str(json, STR(",\"problem\":"));
	app_write_problem(json, &call->work.job.answer.problem);
	buffer_append_char(json, '}');
}

static struct step_result app_handler_reply(struct task *task)
{
	struct call *call = task_state(task);

	/* Each secret is searched for in the whole result. */
	size_t length = call->work.job.answer.result.length;
	size_t bytes = length * (1 + call->work.secret.count);
	struct step_result answer;

	if (!app_memory_take(task, &call->work.memory, length, APP_FORM_COST, &answer))
		return answer;
	return task_reply_written(task, 200, bytes, write_answer, call);
}

/* Answers without the form: app_handler_reply() has the reason. */
static struct step_result reply_without(struct task *task)
{
	static const struct form_field none = {.type = FORM_GENERATED};
	struct call *call = task_state(task);

	call->field = &none;
	return app_handler_reply(task);
}

static struct step_result form_found(struct task *task)
{
	struct call *call = task_state(task);
	struct app_work *work = &call->work;
	struct settings stored;

	if (!work->has_form)
		return reply_without(task);
	api_take_good_settings(task, work, &call->body.settings);
	call->field = settings_find_asking(&call->body.settings, &work->form, call->body.field_id);
	if (!call->field)
		return task_fail_field(task, "fieldId",
				       "must be a field whose options or fields the app generates");
	if (api_open_secrets(task, work, &stored)) {
		settings_merge(&stored, &work->secret, task_arena(task), &work->secret);
		settings_merge(&work->open, &work->secret, task_arena(task), &work->all);
	}
	work->job.handler = call->field->handler;
	work->job.parameter = call->body.parameter;
	return api_run_app(task, work, ENGINE_HANDLER, api_settings_text(task, &work->all),
			   app_handler_reply);
}

static struct step_result app_handler_found(struct task *task)
{
	struct call *call = task_state(task);

	return api_find_whole_form(task, &call->work, &call->body.settings, form_found);
}

static struct step_result app_handler_begin(struct task *task)
{
	struct call *call = task_state(task);

	return api_find_app(task, &call->work, task_path_parameter(task, 0), call->body.device_id,
			    call->body.installation_id, app_handler_found);
}

static struct step_result begin_draft(struct task *task)
{
	struct call *call = task_state(task);

	api_use_draft(task, &call->work, &call->body, task_app(task)->id);
	return api_find_whole_form(task, &call->work, &call->body.settings, form_found);
}

static struct step_result version_found(struct task *task)
{
	struct call *call = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_VERSION_NOT_FOUND, "there is no such version");
	api_use_version(&call->work, &call->scripts, call->body.timezone);
	return api_find_whole_form(task, &call->work, &call->body.settings, form_found);
}

static struct step_result begin_review(struct task *task)
{
	struct call *call = task_state(task);
	struct id id;

	if (!id_parse(task_path_parameter(task, 0), &id))
		return task_fail(task, PROBLEM_VERSION_NOT_FOUND, "there is no such version");
	statement_review_source(task_new_query(task), &(struct review_source_parameters){id},
				&call->scripts);
	return task_query(task, version_found);
}

static void app_handler_finish(void *state)
{
	app_work_finish(&((struct call *)state)->work);
}

ENDPOINT_APP_HANDLER(.handler = app_handler_begin, .state_size = sizeof(struct call),
		     .finish = app_handler_finish);
ENDPOINT_DRAFT_HANDLER(.handler = begin_draft, .state_size = sizeof(struct call),
		       .finish = app_handler_finish);
ENDPOINT_REVIEW_HANDLER(.handler = begin_review, .state_size = sizeof(struct call),
			.finish = app_handler_finish);

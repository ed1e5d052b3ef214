#include "app_answer.h"
#include "base/limits.h"
#include "web/access.h"
#include "web/endpoints.h"

/* POST /web/apps/{appId}/preview - a preview of an app with settings that need not be saved; POST
 * /web/studio/{appId}/preview - of a script in the editor; POST /web/reviews/{versionId}/preview -
 * of a version in review. */

struct preview {
	struct app_body body; /* first: the pre-handler checks read the request into it */
	struct app_work work;
	struct review_source_row scripts;
	bool shows_form;
};

static void write_preview(void *argument, struct arena *arena, struct buffer *json)
{
	const struct preview *preview = argument;
	struct form own = preview->work.form;

	(void)arena;
	own.count = preview->work.made.own;
	buffer_append_char(json, '{');
	app_write_preview(json, &preview->work);
	if (preview->shows_form) {
		buffer_append_str(json, STR(",\"fields\":"));
		form_write(&own, json);
	}
	buffer_append_char(json, '}');
}

static struct step_result app_preview_reply(struct task *task)
{
	struct preview *preview = task_state(task);
	size_t bytes = preview->work.job.answer.picture.length +
		       (preview->shows_form ? preview->work.form_bytes : 0);

	return task_reply_written(task, 200, bytes, write_preview, preview);
}

static struct step_result form_found(struct task *task)
{
	struct preview *preview = task_state(task);
	struct app_work *work = &preview->work;
	struct step_result answer;

	if (!work->has_form)
		return app_preview_reply(task);
	if (preview->shows_form)
		api_take_good_settings(task, work, &preview->body.settings);
	else if (!api_take_settings(task, work, &preview->body.settings, &answer))
		return answer;
	return api_run_app(task, work, ENGINE_PICTURE, api_settings_text(task, &work->all),
			   app_preview_reply);
}

static struct step_result app_preview_found(struct task *task)
{
	struct preview *preview = task_state(task);

	return api_find_whole_form(task, &preview->work, &preview->body.settings, form_found);
}

static struct step_result app_preview_begin(struct task *task)
{
	struct preview *preview = task_state(task);

	return api_find_app(task, &preview->work, task_path_parameter(task, 0),
			    preview->body.device_id, preview->body.installation_id,
			    app_preview_found);
}

static struct step_result begin_draft(struct task *task)
{
	struct preview *preview = task_state(task);

	preview->shows_form = true;
	api_use_draft(task, &preview->work, &preview->body, task_app(task)->id);
	return app_preview_found(task);
}

static struct step_result version_found(struct task *task)
{
	struct preview *preview = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_VERSION_NOT_FOUND, "there is no such version");
	api_use_version(&preview->work, &preview->scripts, preview->body.timezone);
	return app_preview_found(task);
}

static struct step_result begin_review(struct task *task)
{
	struct preview *preview = task_state(task);
	struct id id;

	if (!id_parse(task_path_parameter(task, 0), &id))
		return task_fail(task, PROBLEM_VERSION_NOT_FOUND, "there is no such version");
	preview->shows_form = true;
	statement_review_source(task_new_query(task), &(struct review_source_parameters){id},
				&preview->scripts);
	return task_query(task, version_found);
}

static void app_preview_finish(void *state)
{
	app_work_finish(&((struct preview *)state)->work);
}

ENDPOINT_APP_PREVIEW(.handler = app_preview_begin, .state_size = sizeof(struct preview),
		     .finish = app_preview_finish);
ENDPOINT_DRAFT_PREVIEW(.handler = begin_draft, .state_size = sizeof(struct preview),
		       .finish = app_preview_finish);
ENDPOINT_REVIEW_PREVIEW(.handler = begin_review, .state_size = sizeof(struct preview),
			.finish = app_preview_finish);

#include "api/app_name.h"
#include "api/app_work.h"
#include "delivery/delivery.h"
#include "endpoints.h"
#include "push_steps.h"

/* POST /v0/devices/{deviceId}/push_app - renders an app with settings of the
 * caller's, and shows the picture as a push.
 *
 *   begin -> api_find_app() -> its form -> form_found: settings in normal form
 *         -> rendered -> push_store()
 *
 * Without an app, the ID of an entry alone shows that entry: a pushed image as it is stored, and an
 * app with the entry's own settings, for the length of one turn. Settings of the caller's replace
 * all of them, secrets too: otherwise a key that may only push could send a secret to a host that
 * it chooses.
 *
 * text-regular, text-scrolling and text-title need not be installed, since programs send texts by
 * these names: if no app has the slug, a built-in script draws them. */

extern const struct str text_script;

struct app_push {
	struct push_app_body body; /* first: the pre-handler checks read the request into it */
	struct app_work work;
	struct v0_push_entry_row entry; /* without an app in the body */
	struct app named;
	struct push push;
};

static struct step_result fail_render(struct task *task, const struct engine_problem *problem)
{
	if (problem->kind == ENGINE_LATE || problem->kind == ENGINE_NOT_AVAILABLE)
		return task_fail_busy(task, PROBLEM_APP_UNAVAILABLE, 1,
				      "the app cannot be rendered now, try again: %.*s",
				      STR_ARG(problem->message));
	return task_fail(task, PROBLEM_APP_FAILED, "the app returned no picture: %.*s",
			 STR_ARG(problem->message));
}

static struct step_result rendered(struct task *task)
{
	struct app_push *push = task_state(task);
	const struct engine_answer *answer = &push->work.job.answer;
	int64_t whole_s = (answer->duration_ms + 999) / 1000;

	if (answer->problem.kind != ENGINE_DONE)
		return fail_render(task, &answer->problem);
	if (!answer->picture.length)
		return task_fail(task, PROBLEM_APP_EMPTY, "the app has nothing to show now");
	push->body.push.duration_s =
	    push->entry.id.length ? push->entry.display_s : task_device(task)->schedule_interval_s;
	if (whole_s > push->work.source.turn_s)
		whole_s = push->work.source.turn_s;
	if (answer->show_full_animation && whole_s > push->body.push.duration_s)
		push->body.push.duration_s = whole_s;
	push_begin(task, &push->push, &push->body.push);
	push->push.picture = answer->picture;
	push->push.is_done = push_answer;
	return push_store(task);
}

/* Passes settings that the form does not have to the script unchanged: none of them is stored. */
static struct str config_of(struct task *task, struct app_push *push)
{
	struct settings all;

	settings_merge(&push->body.settings, &push->work.all, task_arena(task), &all);
	return api_settings_text(task, &all);
}

static struct step_result form_found(struct task *task)
{
	struct app_push *push = task_state(task);
	struct app_work *work = &push->work;
	struct step_result answer;

	if (!work->has_form)
		return api_fail_no_form(task, work);
	if (!api_take_settings(task, work, &push->body.settings, &answer))
		return answer;
	return api_run_app(task, work, ENGINE_PICTURE, config_of(task, push), rendered);
}

static struct step_result app_found(struct task *task)
{
	struct app_push *push = task_state(task);

	return api_find_whole_form(task, &push->work, &push->body.settings, form_found);
}

static struct step_result find_app(struct task *task)
{
	struct app_push *push = task_state(task);
	char *device = arena_alloc(task_arena(task), ID_TEXT_LENGTH + 1);

	id_format(task_device(task)->id, device);
	return api_find_app(task, &push->work, push->body.app, str_from(device), STR(""),
			    app_found);
}

/* ---- an entry of the rotation ---- */

static struct step_result fail_entry(struct task *task)
{
	const struct app_push *push = task_state(task);

	return task_fail_field(task, push->body.push.id_member,
			       "is not in the device's rotation: app_id is required");
}

/* Renders the entry as for its turn. */
static struct step_result render_entry(struct task *task)
{
	struct app_push *push = task_state(task);
	struct app_work *work = &push->work;
	struct settings open;
	struct str secret;

	settings_parse(work->source.settings, task_arena(task), &open);
	if (work->source.secret_settings.length) {
		if (!settings_decrypt(api_service(task)->settings_key, work->device_id,
				      work->installation_id, work->source.secret_settings,
				      task_arena(task), &secret))
			return task_fail(task, PROBLEM_SECRET_UNREADABLE, "%s",
					 settings_open_failed);
		settings_parse(secret, task_arena(task), &work->secret);
	}
	settings_merge(&open, &work->secret, task_arena(task), &work->all);
	return api_run_app(task, work, ENGINE_PICTURE, api_settings_text(task, &work->all),
			   rendered);
}

static struct step_result entry_app_found(struct task *task)
{
	struct app_push *push = task_state(task);

	if (push->work.source.is_disabled)
		return task_fail(task, PROBLEM_APP_FAILED,
				 "an administrator has disabled this app");
	if (!push->body.settings.count)
		return render_entry(task);
	push->work.source.settings = STR("");
	push->work.source.secret_settings = STR("");
	return app_found(task);
}

static struct step_result shown_again(struct task *task)
{
	const struct app_push *push = task_state(task);

	if (task_row_count(task) == 0)
		return fail_entry(task);
	delivery_device_changed(api_delivery(task), task_device(task)->id,
				push->push.stored.generation);
	return push_answer(task);
}

/* Shows the pushed image as it is stored then: a newer one may come meanwhile. */
static struct step_result show_again(struct task *task)
{
	struct app_push *push = task_state(task);

	push_begin(task, &push->push, &push->body.push);
	statement_push_show(task_new_query(task),
			    &(struct push_show_parameters){task_device(task)->id, push->entry.id},
			    &push->push.stored);
	return task_query(task, shown_again);
}

static struct step_result entry_found(struct task *task)
{
	struct app_push *push = task_state(task);
	char *device = arena_alloc(task_arena(task), ID_TEXT_LENGTH + 1);

	if (task_row_count(task) == 0)
		return fail_entry(task);
	if (push->entry.is_pushed && push->body.settings.count)
		return task_fail_field(task, "config", "must be left out for a pushed image");
	/* In the background nothing is to be done: the rotation shows the entry in its turn. */
	if (push->body.push.in_background)
		return task_reply_empty(task, 200);
	if (push->entry.is_pushed)
		return show_again(task);
	/* The app's picture is shown as a temporary one. */
	push->body.push.is_installation = false;
	id_format(task_device(task)->id, device);
	return api_find_app(task, &push->work, STR(""), str_from(device), push->entry.id,
			    entry_app_found);
}

static struct step_result find_entry(struct task *task)
{
	struct app_push *push = task_state(task);

	statement_v0_push_entry(task_new_query(task),
				&(struct v0_push_entry_parameters){task_device(task)->id,
								   push->body.push.installation_id},
				&push->entry);
	return task_query(task, entry_found);
}

/* ---- texts ---- */

static bool is_text(struct str app)
{
	return str_equal(app, STR("text-regular")) || str_equal(app, STR("text-scrolling")) ||
	       str_equal(app, STR("text-title"));
}

static struct step_result draw_text(struct task *task)
{
	struct app_push *push = task_state(task);
	const struct device *device = task_device(task);
	struct app_work *work = &push->work;
	struct setting item = {.name = STR("$style"), .value = push->body.app};
	struct settings style = {.items = &item, .count = 1}, all;

	settings_merge(&push->body.settings, &style, task_arena(task), &all);
	work->language = STR("STARLARK");
	work->script = text_script;
	work->scope = STR("own:text");
	work->timezone = device->timezone;
	work->locale = device->locale;
	work->picture_limit_bytes = (size_t)device->picture_limit_bytes;
	work->panel_size = panel_size_of(device->size);
	work->is_only_looked_at = true;
	return api_run_app(task, work, ENGINE_PICTURE, api_settings_text(task, &all), rendered);
}

static struct step_result text_named(struct task *task)
{
	return task_row_count(task) ? find_app(task) : draw_text(task);
}

static struct step_result push_app_begin(struct task *task)
{
	struct app_push *push = task_state(task);
	struct step_result answer;

	if (push_lacks_disk(task, &answer))
		return answer;
	if (!push->body.app.length)
		return find_entry(task);
	if (!is_text(push->body.app))
		return find_app(task);
	statement_app_by_slug(
	    task_new_query(task),
	    &(struct app_by_slug_parameters){task_account_id(task), push->body.app}, &push->named);
	return task_query(task, text_named);
}

static void push_app_finish(void *state)
{
	app_work_finish(&((struct app_push *)state)->work);
}

ENDPOINT_V0_PUSH_APP(.handler = push_app_begin, .state_size = sizeof(struct app_push),
		     .refused = push_refused, .finish = push_app_finish, .count = push_count);

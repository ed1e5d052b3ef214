#include "api/app_work.h"
#include "record/json.h"

static struct step_result ask_next(struct task *task, struct app_work *work);

static struct step_result app_made_end(struct task *task, struct app_work *work)
{
	work->job.handler = work->job.parameter = (struct str){0};
	work->form.has_made = !work->made.problem.data;
	return task_continue(task, work->made.next);
}

static struct step_result answer_read(struct task *task)
{
	struct app_work *work = *task_helper(task);

	if (work->reading.is_good)
		form_add(&work->form, &work->made.more, task_arena(task));
	else
		work->made.problem = arena_copy(task_arena(task), work->reading.reason);
	return ask_next(task, work);
}

/* The answer is not shown, so it is not masked, which might hide the names of fields. */
static struct step_result answered(struct task *task)
{
	struct app_work *work = *task_helper(task);
	const struct engine_answer *answer = &work->job.answer;

	if (answer->problem.kind == ENGINE_DONE)
		return api_read_form(task, work, answer->result, &work->made.more, answer_read);
	work->made.problem = arena_copy(task_arena(task), answer->problem.message);
	return ask_next(task, work);
}

static struct step_result ask_next(struct task *task, struct app_work *work)
{
	const struct form_field *field =
	    work->made.problem.data
		? NULL
		: form_next_maker(&work->form, work->made.own, &work->made.seen);

	if (!field)
		return app_made_end(task, work);
	if (++work->made.asked > FORM_MAKERS_MAX || !form_has_handler(field)) {
		work->made.problem =
		    STR("it has too many fields that generate others, or one without a handler");
		return app_made_end(task, work);
	}
	work->job.handler = field->handler;
	work->job.parameter = settings_of_source(&work->all, &work->form, field);
	return api_run_app(task, work, ENGINE_HANDLER, api_settings_text(task, &work->all),
			   answered);
}

static struct step_result form_found(struct task *task)
{
	struct app_work *work = *task_helper(task);
	struct settings open, stored;

	work->made.own = work->form.count;
	if (!work->has_form || !form_makes_more(&work->form))
		return task_continue(task, work->made.next);
	settings_parse(work->source.settings, task_arena(task), &open);
	if (!api_open_secrets(task, work, &stored))
		stored = (struct settings){0};
	if (!settings_has_unknown(work->made.given, &work->form) &&
	    !settings_has_unknown(&open, &work->form) &&
	    !settings_has_unknown(&stored, &work->form))
		return task_continue(task, work->made.next);
	api_take_good_settings(task, work, work->made.given);
	settings_merge(&stored, &work->secret, task_arena(task), &work->secret);
	settings_merge(&work->open, &work->secret, task_arena(task), &work->all);
	return ask_next(task, work);
}

struct step_result api_find_whole_form(struct task *task, struct app_work *work,
				       const struct settings *settings, task_step *next)
{
	work->made.given = settings;
	work->made.next = next;
	return api_find_form(task, work, form_found);
}

#include "api/app_work.h"
#include "base/limits.h"
#include "db/note.h"
#include "endpoints.h"

/* Finds an app's form without its script, which may be large:
 *
 *   api_find_form() -> a failure noted a moment ago
 *                   -> the form kept in app_source's row, or if it is large, by app_schema_get
 *                   -> none is kept: api_run_app() -> app_schema_keep or app_schema_fail
 */

static struct str or_empty(struct str text)
{
	return text.data ? text : STR("");
}

static bool problem_is_the_scripts(const struct engine_problem *problem)
{
	return problem->kind == ENGINE_WRONG_SCRIPT || problem->kind == ENGINE_NO_APP ||
	       problem->kind == ENGINE_LIMIT || problem->kind == ENGINE_CRASH;
}

static bool run_reading(void *argument)
{
	struct app_reading *reading = argument;

	reading->is_good =
	    form_read(reading->text, &reading->arena, reading->form, &reading->reason);
	return false;
}

static struct step_result reading_done(struct task *task)
{
	struct app_work *work = *task_helper(task);
	struct app_reading *reading = &work->reading;

	arena_adopt(task_arena(task), &reading->arena);
	return task_continue(task, reading->next);
}

static struct step_result read_form(struct task *task, struct app_work *work, struct str text,
				    struct form *form, task_step *next)
{
	struct task_work reading = {
	    .run = run_reading, .argument = &work->reading, .size = text.length, .is_text = true};

	*task_helper(task) = work;
	work->reading = (struct app_reading){.text = text, .form = form, .next = next};
	if (text.length > LIMIT_LOOP_TEXT_BYTES)
		return task_work(task, LANE_SHORT, &reading, reading_done);
	(void)run_reading(&work->reading);
	return reading_done(task);
}

struct step_result api_read_form(struct task *task, struct app_work *work, struct str text,
				 struct form *form, task_step *next)
{
	struct step_result answer;

	if (!app_memory_take(task, &work->memory, text.length, APP_FORM_COST, &answer))
		return answer;
	return read_form(task, work, text, form, next);
}

/* The app's form was read. */
static void take_form(struct app_work *work)
{
	work->has_form = work->reading.is_good;
	work->form_bytes = work->reading.text.length;
	if (!work->has_form)
		work->job.answer.problem = (struct engine_problem){
		    .kind = ENGINE_WRONG_SCRIPT,
		    .message = work->reading.reason,
		};
}

static struct step_result form_kept(struct task *task)
{
	struct app_work *work = *task_helper(task);

	return task_continue(task, work->next);
}

static struct step_result failure_noted(struct task *task)
{
	struct app_work *work = *task_helper(task);

	return task_continue(task, work->next);
}

/* Stores a failure that the script causes: another run would fail in the same way. Skips a run
 * whose account had reduced time: runs of others have more. */
static struct step_result note_failure(struct task *task, struct app_work *work)
{
	const struct engine_problem *problem = &work->job.answer.problem;

	if (id_is_none(work->source.version_id) || !problem_is_the_scripts(problem) ||
	    work->job.answer.is_limited)
		return task_continue(task, work->next);
	statement_app_schema_fail(task_new_query(task),
				  &(struct app_schema_fail_parameters){
				      .version_id = work->source.version_id,
				      .locale = work->locale,
				      .reach = (int16_t)work->source.reach,
				      .engine = str_from(engines_version()),
				      .kind = (int16_t)problem->kind,
				      .message = or_empty(problem->message),
				      .file = or_empty(problem->file),
				      .line = problem->line,
				      .column = problem->column,
				  },
				  &work->failed);
	return task_query(task, failure_noted);
}

/* Answers from a failure stored a moment ago. */
static void recall_failure(struct app_work *work)
{
	const struct app_source_row *source = &work->source;

	work->job.answer = (struct engine_answer){
	    .problem = {.kind = (enum engine_problem_kind)source->failure_kind,
			.message = source->failure_message,
			.file = source->failure_file,
			.line = (int)source->failure_line,
			.column = (int)source->failure_column},
	};
}

static struct step_result made_form_read(struct task *task)
{
	struct app_work *work = *task_helper(task);
	const struct engine_answer *answer = &work->job.answer;

	take_form(work);
	/* A TypeScript app may work without the network's answer: such a form is not stored for
	 * others.
	 */
	if (!work->has_form || id_is_none(work->source.version_id) ||
	    (work->is_only_looked_at && work->job.language == ENGINE_TYPESCRIPT))
		return task_continue(task, work->next);
	statement_app_schema_keep(task_new_query(task),
				  &(struct app_schema_keep_parameters){
				      .version_id = work->source.version_id,
				      .locale = work->locale,
				      .engine = str_from(engines_version()),
				      .schema = or_empty(answer->schema),
				      .hosts = or_empty(answer->hosts),
				      .account_id = task_account_id(task),
				  },
				  &work->kept);
	return task_query(task, form_kept);
}

static struct step_result form_made(struct task *task)
{
	struct app_work *work = *task_helper(task);
	const struct engine_answer *answer = &work->job.answer;

	if (answer->problem.kind != ENGINE_DONE)
		return note_failure(task, work);
	if (!work->compiled.length && answer->compiled.length)
		work->compiled = arena_copy(task_arena(task), answer->compiled);
	return api_read_form(task, work, answer->schema, &work->form, made_form_read);
}

static struct step_result kept_form_read(struct task *task)
{
	struct app_work *work = *task_helper(task);

	take_form(work);
	return task_continue(task, work->next);
}

static struct step_result large_schema_found(struct task *task)
{
	struct app_work *work = *task_helper(task);

	if (task_row_count(task) == 0)
		return api_run_app(task, work, ENGINE_SCHEMA, STR("{}"), form_made);
	return read_form(task, work, work->large_schema.schema, &work->form, kept_form_read);
}

static struct step_result find_large_schema(struct task *task, struct app_work *work)
{
	struct step_result answer;

	if (!app_memory_take(task, &work->memory, (size_t)work->source.schema_bytes, APP_FORM_COST,
			     &answer))
		return answer;
	statement_app_schema_get(task_new_query(task),
				 &(struct app_schema_get_parameters){
				     .version_id = work->source.version_id,
				     .locale = work->locale,
				     .engine = str_from(engines_version()),
				 },
				 &work->large_schema);
	return task_query(task, large_schema_found);
}

/* Notes that the account uses the stored form, so that unused forms make room for others. Does not
 * wait. */
static void note_use(struct task *task, const struct app_work *work)
{
	struct db_note *note = db_note_new();

	statement_app_schema_used(&note->query,
				  &(struct app_schema_used_parameters){
				      .version_id = work->source.version_id,
				      .locale = arena_copy(&note->arena, work->locale),
				      .account_id = task_account_id(task),
				  });
	db_note_send(task_service(task)->db, note);
}

struct step_result api_find_form(struct task *task, struct app_work *work, task_step *next)
{
	*task_helper(task) = work;
	work->next = next;
	if (!work->source.has_schema && work->source.has_failed) {
		recall_failure(work);
		return task_continue(task, next);
	}
	if (!work->source.has_schema)
		return api_run_app(task, work, ENGINE_SCHEMA, STR("{}"), form_made);
	if (work->source.is_use_due)
		note_use(task, work);
	if (work->source.schema_bytes > LIMIT_LOOP_TEXT_BYTES)
		return find_large_schema(task, work);
	return read_form(task, work, work->source.schema, &work->form, kept_form_read);
}

struct step_result api_fail_no_form(struct task *task, const struct app_work *work)
{
	return task_fail(task, PROBLEM_APP_FAILED, "the app's form is unavailable: %.*s",
			 STR_ARG(work->job.answer.problem.message));
}

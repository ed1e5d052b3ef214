#include "api/app_work.h"
#include "api/app_name.h"
#include "app_hosts.h"
#include "base/clock.h"
#include "base/limits.h"
#include "domain/content.h"
#include "domain/device_place.h"
#include "domain/settings_mask.h"
#include "endpoints.h"

#include <text/reach.h>

static const struct rate_policy preview_rate = {
    .name = "preview",
    .of_what = "of this account",
    .per_second = LIMIT_PREVIEW_RATE_PER_S,
    .burst = LIMIT_PREVIEW_RATE_BURST,
};

void app_work_finish(struct app_work *work)
{
	engine_job_finish(&work->job);
	arena_finish(&work->reading.arena);
	app_memory_leave(&work->memory);
}

/* ---- the script ---- */

static struct step_result fail_no_device(struct task *task)
{
	return task_fail(task, PROBLEM_DEVICE_NOT_FOUND, "there is no such device");
}

static struct step_result app_found(struct task *task)
{
	struct app_work *work = *task_helper(task);
	const struct app_source_row *source = &work->source;

	if (task_row_count(task) == 0 && work->may_be_missing) {
		work->source = (struct app_source_row){0};
		return task_continue(task, work->next);
	}
	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_APP_NOT_FOUND, "there is no such app");
	if (!id_is_none(work->device_id) && !source->has_device)
		return fail_no_device(task);
	if (work->installation_id.length && !source->is_installed)
		return task_fail(task, PROBLEM_APP_NOT_INSTALLED,
				 "the app is not installed on this device");
	work->language = source->language;
	work->scope = source->checksum;
	work->timezone = source->timezone;
	work->locale = source->locale;
	work->picture_limit_bytes = (size_t)source->picture_limit_bytes;
	work->panel_size = panel_size_of(source->size);
	work->duration_ms = (unsigned)content_animation_max_s(source->duration_s) * 1000;
	return task_continue(task, work->next);
}

struct step_result api_find_app(struct task *task, struct app_work *work, struct str app,
				struct str device_id, struct str installation_id, task_step *next)
{
	struct app_name name = app_name_of(app);

	*task_helper(task) = work;
	work->next = next;
	work->installation_id = installation_id;
	if (device_id.length && !id_parse(device_id, &work->device_id))
		return fail_no_device(task);
	statement_app_source(
	    task_new_query(task),
	    &(struct app_source_parameters){
		.account_id = task_account_id(task),
		.app_id = name.id,
		.slug = name.slug.data ? name.slug : STR(""),
		.device_id = work->device_id,
		.installation_id = installation_id.data ? installation_id : STR(""),
		.engine = str_from(engines_version()),
		.is_looked_at = work->is_only_looked_at,
	    },
	    &work->source);
	return task_query(task, app_found);
}

void api_use_draft(struct task *task, struct app_work *work, const struct app_body *body,
		   struct id app)
{
	char id[ID_TEXT_LENGTH + 1];

	id_format(app, id);
	work->language = body->script_language;
	work->script = body->script_content;
	work->scope = arena_printf(task_arena(task), "draft:%s", id);
	work->timezone = body->timezone;
}

void api_use_version(struct app_work *work, const struct review_source_row *version,
		     struct str zone)
{
	work->language = version->script_language;
	work->script = version->script_content;
	work->compiled = version->javascript;
	work->scope = version->checksum;
	work->timezone = zone;
}

/* ---- running it ---- */

/* Masks secrets in all texts of the answer except answer.result, which its reader must mask. */
static void on_done(struct engine_job *job)
{
	struct app_work *work = container_of(job, struct app_work, job);
	struct engine_answer *answer = &job->answer;
	struct arena *arena = task_arena(work->task);

	answer->log = settings_mask(&work->secret, answer->log, arena);
	answer->problem.message = settings_mask(&work->secret, answer->problem.message, arena);
	answer->problem.backtrace = settings_mask(&work->secret, answer->problem.backtrace, arena);
	api_note_hosts(work->task, work->source.app_id, job);
	answer->hosts = settings_mask_hosts(&work->secret, answer->hosts, arena);
	task_resume(work->task);
}

/* A request counts once, however often it runs the script. True: *ret_answer is 429. */
static bool is_too_often(struct task *task, struct app_work *work, struct step_result *ret_answer)
{
	struct rate_result result;

	if (work->was_counted || work->is_import || !task_service(task)->key_rate.per_second)
		return false;
	work->was_counted = true;
	result = rate_take(task_service(task)->rates, &preview_rate, task_account_id(task),
			   clock_monotonic_us());
	if (result.is_allowed)
		return false;
	task_add_field(task, STR("Retry-After"),
		       arena_decimal(task_arena(task), result.retry_after_s));
	*ret_answer = task_fail(task, PROBLEM_REQUESTS_TOO_MANY,
				"too many previews, try again in %u s", result.retry_after_s);
	return true;
}

/* Runs nothing; the job's answer has the reason. */
static struct step_result go_without(struct task *task, struct app_work *work, const char *why,
				     task_step *next)
{
	work->job.answer = (struct engine_answer){
	    .problem = {.kind = ENGINE_NOT_AVAILABLE, .message = str_from(why)},
	};
	return task_continue(task, next);
}

/* Returns why the app may not reach addresses that the operator has opened to apps; NULL: it may.
 * Drafts may not, whoever runs them. */
static const char *why_public(const struct app_work *work)
{
	if (id_is_none(work->source.app_id))
		return "drafts and versions in review can reach public addresses only; once "
		       "deployed, the app can reach the addresses of --egress-allow";
	if (work->source.is_local_closed)
		return reach_sentence(REACH_CLOSED);
	return reach_sentence(work->source.reaches_local ? 0 : REACH_PREVIEW);
}

/* A form is stored for all users of a language, so it gets no device's time zone. */
static void fill_job(struct task *task, struct app_work *work, enum engine_what what,
		     struct str config)
{
	work->job = (struct engine_job){
	    .account = task_account_id(task),
	    .what = what,
	    .language = work->job.language,
	    .script = work->script,
	    .compiled = work->compiled,
	    .scope = work->scope,
	    .config = config,
	    .now_ms = clock_wall_us() / 1000,
	    .timezone = what == ENGINE_SCHEMA ? STR("UTC") : work->timezone,
	    .locale = work->locale,
	    .seed = (uint64_t)clock_wall_us(),
	    .max_duration_ms = work->duration_ms,
	    .max_whole_ms = CONTENT_ANIMATION_MAX_S * 1000,
	    .turn_ms = (unsigned)work->source.turn_s * 1000,
	    .max_bytes = work->picture_limit_bytes,
	    .is_doubled = work->panel_size == PANEL_SIZE_128X64,
	    .has_network = !work->is_only_looked_at,
	    .is_refused = work->is_import,
	    .why_public = why_public(work),
	    .is_preview = true,
	    .has_full_time = work->is_import,
	    .handler = work->job.handler,
	    .parameter = device_place_or(work->job.parameter, work->source.place),
	    .done = on_done,
	};
}

static struct step_result submit(struct task *task, struct app_work *work)
{
	unsigned retry_after_s;

	fill_job(task, work, work->run_what, work->run_config);
	switch (engines_submit(api_service(task)->engines, &work->job, &retry_after_s)) {
	case 0:
		return task_wait(task, work->run_next);
	case -EAGAIN:
		return task_fail_busy(task, PROBLEM_SERVER_BUSY, retry_after_s,
				      "too many apps are being rendered, try again");
	case -EDQUOT:
		return task_fail_busy(
		    task, PROBLEM_SERVER_BUSY, retry_after_s,
		    "too many apps of this account are being rendered, try again");
	default:
		return go_without(task, work, "the script is not text", work->run_next);
	}
}

static const char not_deployed[] = "no version of this app is deployed";

static struct step_result code_found(struct task *task)
{
	struct app_work *work = *task_helper(task);

	if (task_row_count(task) == 0)
		return go_without(task, work, not_deployed, work->run_next);
	work->script = work->code.script;
	work->compiled = work->code.javascript;
	return submit(task, work);
}

struct step_result api_run_app(struct task *task, struct app_work *work, enum engine_what what,
			       struct str config, task_step *next)
{
	const char *why_not = not_deployed;
	struct step_result answer;

	engine_job_finish(&work->job);
	work->task = task;
	work->run_what = what;
	work->run_config = device_place_settle(config, work->source.place, task_arena(task));
	work->run_next = next;
	if (!engine_language_read(work->language, &work->job.language)) {
		if (work->source.is_disabled)
			why_not = "an administrator has disabled this app";
		return go_without(task, work, why_not, next);
	}
	if (!engines_has(api_service(task)->engines, work->job.language, &why_not))
		return go_without(task, work, why_not, next);
	if (is_too_often(task, work, &answer))
		return answer;
	if (work->script.length || work->compiled.length || id_is_none(work->source.version_id))
		return submit(task, work);
	if (!app_memory_take(task, &work->memory, (size_t)work->source.code_bytes, APP_CODE_COST,
			     &answer))
		return answer;
	*task_helper(task) = work;
	statement_version_code(task_new_query(task),
			       &(struct version_code_parameters){work->source.version_id},
			       &work->code);
	return task_query(task, code_found);
}

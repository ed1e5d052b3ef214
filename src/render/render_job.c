#include "render_job.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "log_lines.h"
#include "problem_json.h"
#include "settings_text.h"

#include "db/note.h"
#include "db/statements.h"
#include "domain/content.h"
#include "domain/settings_mask.h"
#include "events/events.h"
#include "render/asked_hosts.h"

#include <sodium.h>
#include <stdlib.h>

enum {
	/* The claim of a worker that has died runs out soon; that of one whose engines are busy, or
	 * whose script takes its time, is renewed. */
	LEASE_MS = 30 * 1000,
	RENEW_MS = LEASE_MS / 3,
	/* A language that this program does not have it will not have soon. */
	UNSUPPORTED_MS = 5 * 60 * 1000,
	/* Pause after a constraint error. */
	REFUSED_MS = UNSUPPORTED_MS,
	/* A render that another worker has claimed, or that could not begin. */
	ELSEWHERE_MIN_MS = 1000,
	ELSEWHERE_MAX_MS = 60 * 1000,
};

struct render_job {
	struct list node;
	struct render_jobs *jobs;
	struct want *want;
	struct arena arena;
	struct id claim;
	int64_t moment_ms; /* Unix time that the script sees: its clock */
	struct db_query query;
	struct render_claim_row row;
	struct settings secret; /* of the installation whose settings are used */
	struct settings values; /* likewise: all that its settings say */
	struct engine_job engine;
	struct str hosts; /* that were asked, without those that tell of its settings */
	struct render_store_row stored;
	bool runs; /* the engine has it */
	struct deadline renew;
	bool is_renewing;
	bool has_answer; /* that came while the claim was renewed */
};

static void end(struct render_job *job)
{
	struct render_jobs *jobs = job->jobs;
	struct want *want = job->want;

	deadline_clear(jobs->settings.loop, &job->renew);
	engine_job_finish(&job->engine);
	arena_finish(&job->arena);
	list_remove(&job->node);
	jobs->count--;
	free(job);
	jobs->ended(jobs->context, want);
}

static void put_off(const struct render_job *job, int64_t ms)
{
	if (ms < ELSEWHERE_MIN_MS)
		ms = ELSEWHERE_MIN_MS;
	if (ms > ELSEWHERE_MAX_MS && ms != UNSUPPORTED_MS)
		ms = ELSEWHERE_MAX_MS;
	delivery_put_off(job->jobs->settings.delivery, job->want->app.place, (uint64_t)ms);
}

static struct str place_of(const struct render_job *job)
{
	return (struct str){(const char *)job->want->app.place, PLACE_BYTES};
}

static void submit(struct render_job *job,
		   void (*done)(struct db_query *query, const struct db_result *result))
{
	job->query.done = done;
	db_submit(job->jobs->settings.db, &job->query);
}

/* The moment at which its turn begins. If the want has waited for longer, a picture that is for
 * all turns is of now. */
static int64_t moment_ms(const struct upcoming_app *app)
{
	int64_t now_s = (clock_wall_us() / 1000 + 500) / 1000;

	return (app->is_each_turn || app->moment_s > now_s ? app->moment_s : now_s) * 1000;
}

/* Until that moment; 0: it has come. */
static int64_t ahead_ms(const struct render_job *job)
{
	int64_t ahead = job->moment_ms - clock_wall_us() / 1000;

	return ahead > 0 ? ahead : 0;
}

/* ---- the claim goes back ---- */

static void on_let_go(struct db_query *query, const struct db_result *result)
{
	(void)result; /* if it has failed, the claim runs out */
	end(container_of(query, struct render_job, query));
}

static void let_go(struct render_job *job)
{
	db_query_init(&job->query, &job->arena);
	statement_render_let_go(&job->query,
				&(struct render_let_go_parameters){
				    .place = place_of(job),
				    .version_id = job->want->app.version_id,
				    .claim = job->claim,
				},
				NULL);
	submit(job, on_let_go);
}

/* ---- store ---- */

/* The first one in a row. */
static void tell_failure(struct render_job *job)
{
	if (job->stored.misses == 1)
		events_failed(
		    job->jobs->settings.events, job->want->app.place, job->stored.generation,
		    job->stored.app_id,
		    settings_mask(&job->values, job->engine.answer.problem.message, &job->arena));
}

static void on_stored(struct db_query *query, const struct db_result *result)
{
	struct render_job *job = container_of(query, struct render_job, query);

	if (result->outcome == DB_OK && result->row_count == 1) {
		db_read_row(result, 0, query->record, &job->arena, &job->stored);
		delivery_rendered(job->jobs->settings.delivery, job->want->app.place,
				  job->stored.generation);
		asked_hosts_note(job->jobs->settings.db, job->stored.app_id, job->hosts);
		tell_failure(job);
	} else if (result->outcome == DB_CONSTRAINT || result->outcome == DB_FAILED) {
		put_off(job, REFUSED_MS); /* it would be again */
	}
	end(job);
}

/* The author of the app is told less than the owner of the panel. */
static struct str problem_text(struct render_job *job)
{
	const struct engine_problem *problem = &job->engine.answer.problem;

	return problem_json(problem, settings_mask(&job->values, problem->message, &job->arena),
			    &job->arena);
}

static void store(struct render_job *job)
{
	const struct engine_answer *answer = &job->engine.answer;
	bool is_good = answer->problem.kind == ENGINE_DONE;
	struct str picture = is_good && answer->picture.length ? answer->picture : (struct str){0};

	db_query_init(&job->query, &job->arena);
	job->query.account_id = job->want->app.account_id;
	job->hosts = settings_mask_hosts(&job->values, answer->hosts, &job->arena);
	statement_render_store(&job->query,
			       &(struct render_store_parameters){
				   .place = place_of(job),
				   .version_id = job->want->app.version_id,
				   .claim = job->claim,
				   .engine = str_from(engines_version()),
				   .is_good = is_good,
				   .is_blamed = problem_is_blamed(&answer->problem),
				   .picture = picture,
				   .is_whole = answer->show_full_animation,
				   .took_us = (int64_t)answer->elapsed_us,
				   .max_age_s = answer->max_age_s,
				   .interval_s = answer->interval_s > 0 ? answer->interval_s : 0,
				   .is_each_turn = answer->interval_s == 0,
				   .moment_s = job->moment_ms / 1000,
				   .ahead_ms = ahead_ms(job),
				   .log = log_text(answer->log, answer->log_dropped, &job->arena),
				   .problem = problem_text(job),
				   .hosts = job->hosts,
			       },
			       NULL);
	submit(job, on_stored);
}

/* Stores the compiled script of this render for all later ones. */
static void keep_compiled(const struct render_job *job)
{
	struct db_note *note;

	if (!job->engine.answer.compiled.length)
		return;
	note = db_note_new();
	statement_app_compile_store(
	    &note->query,
	    &(struct app_compile_store_parameters){
		.version_id = job->want->app.version_id,
		.javascript = arena_copy(&note->arena, job->engine.answer.compiled),
		.engine = str_from(engines_version()),
	    },
	    NULL);
	db_note_send(job->jobs->settings.db, note);
}

/* Secrets go to the script, and not further. */
static void mask(struct render_job *job)
{
	struct engine_answer *answer = &job->engine.answer;
	struct engine_problem *problem = &answer->problem;

	answer->log = settings_mask(&job->secret, answer->log, &job->arena);
	problem->message = settings_mask(&job->secret, problem->message, &job->arena);
	problem->backtrace = settings_mask(&job->secret, problem->backtrace, &job->arena);
}

static void use_answer(struct render_job *job)
{
	mask(job);
	keep_compiled(job);
	if (problem_is_passing(&job->engine.answer.problem)) {
		put_off(job, 0);
		let_go(job);
	} else {
		store(job);
	}
}

static void on_answer(struct engine_job *engine)
{
	struct render_job *job = container_of(engine, struct render_job, engine);

	job->runs = false;
	deadline_clear(job->jobs->settings.loop, &job->renew);
	if (job->is_renewing)
		job->has_answer = true;
	else
		use_answer(job);
}

/* ---- the claim is renewed ---- */

static void on_renewed(struct db_query *query, const struct db_result *result)
{
	struct render_job *job = container_of(query, struct render_job, query);

	job->is_renewing = false;
	if (job->has_answer) {
		use_answer(job);
		return;
	}
	if (result->outcome == DB_OK && result->row_count == 0)
		engines_cancel(job->jobs->settings.engines, &job->engine);
	else
		deadline_set(job->jobs->settings.loop, &job->renew, RENEW_MS);
}

static void on_renew(struct deadline *deadline)
{
	struct render_job *job = container_of(deadline, struct render_job, renew);

	job->is_renewing = true;
	db_query_init(&job->query, &job->arena);
	statement_render_renew(&job->query,
			       &(struct render_renew_parameters){
				   .place = place_of(job),
				   .version_id = job->want->app.version_id,
				   .claim = job->claim,
				   .lease_ms = LEASE_MS,
			       },
			       NULL);
	submit(job, on_renewed);
}

/* ---- engine ---- */

/* A problem that no engine has met. */
static void fail(struct render_job *job, const char *message)
{
	job->engine.answer = (struct engine_answer){
	    .problem = {.kind = ENGINE_BAD_REQUEST, .message = str_from(message)}};
	store(job);
}

static int start(struct render_job *job, unsigned *ret_retry_after_s)
{
	const struct render_claim_row *row = &job->row;
	struct engine_job *engine = &job->engine;

	*engine = (struct engine_job){
	    .account = job->want->app.account_id,
	    .what = ENGINE_PICTURE,
	    .script = row->script_content,
	    .compiled = row->javascript,
	    .scope = row->checksum,
	    .config = engine->config,
	    .now_ms = job->moment_ms,
	    .timezone = row->timezone,
	    .locale = row->locale,
	    .max_duration_ms = (unsigned)row->duration_s * 1000,
	    .max_whole_ms = CONTENT_WHOLE_MAX_S * 1000,
	    .max_bytes = (size_t)row->picture_limit_bytes,
	    .has_network = true,
	    .why_public = row->reaches_local ? NULL : ENGINE_LOCAL_IS_CLOSED,
	    .done = on_answer,
	};
	randombytes_buf(&engine->seed, sizeof(engine->seed));
	if (!engine_language_read(row->script_language, &engine->language))
		return -ENOTSUP;
	return engines_submit(job->jobs->settings.engines, engine, ret_retry_after_s);
}

static void run(struct render_job *job)
{
	const struct render_claim_row *row = &job->row;
	const char *problem = settings_text(job->jobs->settings.key, row, &job->arena,
					    &job->engine.config, &job->secret);
	struct settings all;
	unsigned retry_after_s = 1;
	int error;

	if (problem) {
		fail(job, problem);
		return;
	}
	settings_parse(job->engine.config, &job->arena, &all);
	settings_parts(&all, &job->arena, &job->values);
	error = start(job, &retry_after_s);
	if (error == 0) {
		job->runs = true;
		deadline_set(job->jobs->settings.loop, &job->renew, RENEW_MS);
	} else if (error == -EINVAL) {
		fail(job, "its settings cannot be given to a script, or the script is larger "
			  "than 8 MiB");
	} else {
		put_off(job, error == -ENOTSUP ? UNSUPPORTED_MS : (int64_t)retry_after_s * 1000);
		let_go(job);
	}
}

/* ---- claim ---- */

static void on_claimed(struct db_query *query, const struct db_result *result)
{
	struct render_job *job = container_of(query, struct render_job, query);

	if (result->outcome != DB_OK || result->row_count == 0) {
		put_off(job, 0);
		end(job);
		return;
	}
	db_read_row(result, 0, query->record, &job->arena, &job->row);
	if (job->row.is_claimed) {
		run(job);
		return;
	}
	put_off(job, job->row.is_supported ? job->row.wait_ms : UNSUPPORTED_MS);
	end(job);
}

void render_job_begin(struct render_jobs *jobs, struct want *want)
{
	struct render_job *job = memory_zalloc(sizeof(*job));
	struct str known[ENGINE_LANGUAGE_COUNT];
	unsigned count = engines_languages(jobs->settings.engines, known);

	job->jobs = jobs;
	job->want = want;
	job->claim = id_new();
	job->moment_ms = moment_ms(&want->app);
	deadline_init(&job->renew, on_renew);
	list_init(&job->node);
	list_append(&jobs->under_way, &job->node);
	jobs->count++;
	db_query_init(&job->query, &job->arena);
	statement_render_claim(&job->query,
			       &(struct render_claim_parameters){
				   .place = place_of(job),
				   .version_id = want->app.version_id,
				   .claim = job->claim,
				   .languages = {known, count},
				   .lease_ms = LEASE_MS,
				   .ahead_ms = ahead_ms(job),
			       },
			       NULL);
	submit(job, on_claimed);
}

void render_jobs_init(struct render_jobs *jobs)
{
	list_init(&jobs->under_way);
}

void render_jobs_drain(struct render_jobs *jobs)
{
	list_for_each (node, &jobs->under_way) {
		struct render_job *job = container_of(node, struct render_job, node);

		if (job->runs)
			engines_cancel(jobs->settings.engines, &job->engine);
	}
}

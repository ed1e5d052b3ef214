#include "render_run.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "lateness.h"
#include "log_lines.h"
#include "problem_json.h"
#include "settings_text.h"

#include "db/note.h"
#include "db/statements.h"
#include "domain/content.h"
#include "domain/panel_size.h"
#include "domain/settings_mask.h"
#include "events/events.h"
#include "metric/metric.h"
#include "render/asked_hosts.h"

#include <sodium.h>
#include <stdlib.h>
#include <text/reach.h>

enum {
	/* The lease of a dead worker expires soon; it is renewed while engines are busy, or the
	 * script runs. */
	LEASE_MS = 30 * 1000,
	RENEW_MS = LEASE_MS / 3,
	/* Pause if this program does not have the language, which will not change soon. */
	UNSUPPORTED_MS = 5 * 60 * 1000,
	/* Pause after a constraint error. */
	REFUSED_MS = UNSUPPORTED_MS,
	/* Pause if another worker has the lease, or the run could not begin. */
	ELSEWHERE_MIN_MS = 1000,
	ELSEWHERE_MAX_MS = 60 * 1000,
};

struct render_run {
	struct list node;
	struct render_runs *runs;
	struct render_job *job;
	struct arena arena;
	struct id lease;
	int64_t moment_ms; /* Unix time of the script's clock */
	struct db_query query;
	struct render_lease_row row;
	struct settings secret; /* secret settings of the installation whose settings are used */
	struct settings values; /* all values of its settings */
	struct engine_job engine;
	struct str hosts; /* hosts that were asked, without those that reveal its settings */
	struct render_store_row stored;
	bool is_running; /* the engine runs it */
	struct deadline renew;
	bool is_renewing;
	bool has_answer; /* the answer came while the lease was renewed */
};

static void end(struct render_run *run)
{
	struct render_runs *runs = run->runs;
	struct render_job *job = run->job;

	deadline_clear(runs->settings.loop, &run->renew);
	engine_job_finish(&run->engine);
	arena_finish(&run->arena);
	list_remove(&run->node);
	runs->count--;
	free(run);
	runs->ended(runs->context, job);
}

static void put_off(const struct render_run *run, int64_t ms)
{
	if (ms < ELSEWHERE_MIN_MS)
		ms = ELSEWHERE_MIN_MS;
	if (ms > ELSEWHERE_MAX_MS && ms != UNSUPPORTED_MS)
		ms = ELSEWHERE_MAX_MS;
	delivery_put_off(run->runs->settings.delivery, run->job->app.render_key, (uint64_t)ms);
}

static struct str render_key_of(const struct render_run *run)
{
	return (struct str){(const char *)run->job->app.render_key, RENDER_KEY_BYTES};
}

static void submit(struct render_run *run,
		   void (*done)(struct db_query *query, const struct db_result *result))
{
	run->query.done = done;
	db_submit(run->runs->settings.db, &run->query);
}

/* Returns the moment at which its turn begins. If the job has waited for longer, a picture for all
 * turns is made for now. */
static int64_t moment_ms(const struct upcoming_app *app)
{
	int64_t now_s = (clock_wall_us() / 1000 + 500) / 1000;

	return (app->is_each_turn || app->moment_s > now_s ? app->moment_s : now_s) * 1000;
}

/* Returns the time until that moment; 0: it has passed. */
static int64_t ahead_ms(const struct render_run *run)
{
	int64_t ahead = run->moment_ms - clock_wall_us() / 1000;

	return ahead > 0 ? ahead : 0;
}

/* ---- return of the lease ---- */

static void on_let_go(struct db_query *query, const struct db_result *result)
{
	(void)result; /* on failure the lease expires */
	end(container_of(query, struct render_run, query));
}

static void let_go(struct render_run *run)
{
	db_query_init(&run->query, &run->arena);
	statement_render_let_go(&run->query,
				&(struct render_let_go_parameters){
				    .render_key = render_key_of(run),
				    .version_id = run->job->app.version_id,
				    .lease = run->lease,
				},
				NULL);
	submit(run, on_let_go);
}

/* ---- store ---- */

/* Reports the first failure in a row. */
static void tell_failure(struct render_run *run)
{
	if (run->stored.misses == 1)
		events_failed(
		    run->runs->settings.events, run->job->app.render_key, run->stored.generation,
		    run->stored.app_id,
		    settings_mask(&run->values, run->engine.answer.problem.message, &run->arena));
}

static void on_stored(struct db_query *query, const struct db_result *result)
{
	struct render_run *run = container_of(query, struct render_run, query);

	if (result->outcome == DB_OK && result->row_count == 1) {
		db_read_row(result, 0, query->record, &run->arena, &run->stored);
		delivery_rendered(run->runs->settings.delivery, run->job->app.render_key,
				  run->stored.generation);
		asked_hosts_note(run->runs->settings.db, run->stored.app_id, run->hosts);
		tell_failure(run);
		if (clock_wall_us() / (1000 * 1000) - run->job->app.moment_s >= LATENESS_LEAST_S)
			metric_add(METRIC_RENDERS_LATE, 0, 1);
	} else if (result->outcome == DB_CONSTRAINT || result->outcome == DB_FAILED) {
		put_off(run, REFUSED_MS); /* it would fail again */
	}
	end(run);
}

/* The author of the app gets less information than the owner of the panel. */
static struct str problem_text(struct render_run *run)
{
	const struct engine_problem *problem = &run->engine.answer.problem;

	return problem_json(problem, settings_mask(&run->values, problem->message, &run->arena),
			    &run->arena);
}

static void store(struct render_run *run)
{
	const struct engine_answer *answer = &run->engine.answer;
	bool is_good = answer->problem.kind == ENGINE_DONE;
	struct str picture = is_good && answer->picture.length ? answer->picture : (struct str){0};

	db_query_init(&run->query, &run->arena);
	run->query.account_id = run->job->app.account_id;
	run->hosts = settings_mask_hosts(&run->values, answer->hosts, &run->arena);
	statement_render_store(
	    &run->query,
	    &(struct render_store_parameters){
		.render_key = render_key_of(run),
		.version_id = run->job->app.version_id,
		.lease = run->lease,
		.engine = str_from(engines_version()),
		.is_good = is_good,
		.is_blamed = problem_is_blamed(&answer->problem),
		.picture = picture,
		.duration_ms = (int32_t)answer->duration_ms,
		.cut = is_good && answer->cut.length ? answer->cut : (struct str){0},
		.is_whole = answer->show_full_animation,
		.took_us = (int64_t)answer->elapsed_us,
		.max_age_s = answer->max_age_s,
		.interval_s = answer->interval_s > 0 ? answer->interval_s : 0,
		.is_each_turn = answer->interval_s == 0,
		.moment_s = run->moment_ms / 1000,
		.ahead_ms = ahead_ms(run),
		.log = log_text(answer->log, answer->log_dropped, &run->arena),
		.problem = problem_text(run),
		.hosts = run->hosts,
	    },
	    NULL);
	submit(run, on_stored);
}

/* Stores the compiled script of this render for all later ones. */
static void keep_compiled(const struct render_run *run)
{
	struct db_note *note;

	if (!run->engine.answer.compiled.length)
		return;
	note = db_note_new();
	statement_app_compile_store(
	    &note->query, &(struct app_compile_store_parameters){
			      .version_id = run->job->app.version_id,
			      .javascript = arena_copy(&note->arena, run->engine.answer.compiled),
			      .engine = str_from(engines_version()),
			  });
	db_note_send(run->runs->settings.db, note);
}

/* Masks secrets, which only the script may see. */
static void mask(struct render_run *run)
{
	struct engine_answer *answer = &run->engine.answer;
	struct engine_problem *problem = &answer->problem;

	answer->log = settings_mask(&run->secret, answer->log, &run->arena);
	problem->message = settings_mask(&run->secret, problem->message, &run->arena);
	problem->backtrace = settings_mask(&run->secret, problem->backtrace, &run->arena);
}

static void use_answer(struct render_run *run)
{
	mask(run);
	keep_compiled(run);
	if (problem_is_passing(&run->engine.answer.problem)) {
		put_off(run, 0);
		let_go(run);
	} else {
		store(run);
	}
}

static void on_answer(struct engine_job *engine)
{
	struct render_run *run = container_of(engine, struct render_run, engine);

	run->is_running = false;
	lateness_note(run->runs->lateness, engine->answer.cpu_us, engine->answer.held_us);
	deadline_clear(run->runs->settings.loop, &run->renew);
	if (run->is_renewing)
		run->has_answer = true;
	else
		use_answer(run);
}

/* ---- renewal of the lease ---- */

static void on_renewed(struct db_query *query, const struct db_result *result)
{
	struct render_run *run = container_of(query, struct render_run, query);

	run->is_renewing = false;
	if (run->has_answer) {
		use_answer(run);
		return;
	}
	if (result->outcome == DB_OK && result->row_count == 0)
		engines_cancel(run->runs->settings.engines, &run->engine);
	else
		deadline_set(run->runs->settings.loop, &run->renew, RENEW_MS);
}

static void on_renew(struct deadline *deadline)
{
	struct render_run *run = container_of(deadline, struct render_run, renew);

	run->is_renewing = true;
	db_query_init(&run->query, &run->arena);
	statement_render_renew(&run->query,
			       &(struct render_renew_parameters){
				   .render_key = render_key_of(run),
				   .version_id = run->job->app.version_id,
				   .lease = run->lease,
				   .lease_ms = LEASE_MS,
			       },
			       NULL);
	submit(run, on_renewed);
}

/* ---- engine ---- */

/* Reports a problem that occurred outside of the engine. */
static void render_run_fail(struct render_run *run, const char *message)
{
	run->engine.answer = (struct engine_answer){
	    .problem = {.kind = ENGINE_BAD_REQUEST, .message = str_from(message)}};
	store(run);
}

static int start(struct render_run *run, unsigned *ret_retry_after_s)
{
	const struct render_lease_row *row = &run->row;
	struct engine_job *engine = &run->engine;

	*engine = (struct engine_job){
	    .account = run->job->app.account_id,
	    .what = ENGINE_PICTURE,
	    .script = row->script_content,
	    .compiled = row->javascript,
	    .scope = row->checksum,
	    .config = engine->config,
	    .now_ms = run->moment_ms,
	    .timezone = row->timezone,
	    .locale = row->locale,
	    .is_doubled = panel_size_of(row->size) == PANEL_SIZE_128X64,
	    .max_duration_ms = 1000 * (unsigned)content_animation_max_s(row->duration_s),
	    .max_whole_ms = CONTENT_ANIMATION_MAX_S * 1000,
	    .max_bytes = (size_t)row->picture_limit_bytes,
	    .has_network = true,
	    .why_public = reach_sentence(row->reaches_local ? 0 : REACH_CLOSED),
	    .done = on_answer,
	};
	randombytes_buf(&engine->seed, sizeof(engine->seed));
	if (!engine_language_read(row->script_language, &engine->language))
		return -ENOTSUP;
	return engines_submit(run->runs->settings.engines, engine, ret_retry_after_s);
}

static void run_script(struct render_run *run)
{
	const struct render_lease_row *row = &run->row;
	const char *problem = settings_text(run->runs->settings.key, row, &run->arena,
					    &run->engine.config, &run->secret);
	struct settings all;
	unsigned retry_after_s = 1;
	int error;

	if (problem) {
		render_run_fail(run, problem);
		return;
	}
	settings_parse(run->engine.config, &run->arena, &all);
	settings_parts(&all, &run->arena, &run->values);
	error = start(run, &retry_after_s);
	if (error == 0) {
		run->is_running = true;
		deadline_set(run->runs->settings.loop, &run->renew, RENEW_MS);
	} else if (error == -EINVAL) {
		render_run_fail(
		    run, "its settings cannot be passed to a script, or the script is larger than "
			 "8 MiB");
	} else {
		put_off(run, error == -ENOTSUP ? UNSUPPORTED_MS : (int64_t)retry_after_s * 1000);
		let_go(run);
	}
}

/* ---- lease ---- */

static void on_leased(struct db_query *query, const struct db_result *result)
{
	struct render_run *run = container_of(query, struct render_run, query);

	if (result->outcome != DB_OK || result->row_count == 0) {
		put_off(run, 0);
		end(run);
		return;
	}
	db_read_row(result, 0, query->record, &run->arena, &run->row);
	if (run->row.is_leased) {
		run_script(run);
		return;
	}
	put_off(run, run->row.is_supported ? run->row.wait_ms : UNSUPPORTED_MS);
	end(run);
}

void render_run_begin(struct render_runs *runs, struct render_job *job)
{
	struct render_run *run = memory_zalloc(sizeof(*run));
	struct str known[ENGINE_LANGUAGE_COUNT];
	unsigned count = engines_languages(runs->settings.engines, known);

	run->runs = runs;
	run->job = job;
	run->lease = id_new();
	run->moment_ms = moment_ms(&job->app);
	deadline_init(&run->renew, on_renew);
	list_init(&run->node);
	list_append(&runs->under_way, &run->node);
	runs->count++;
	db_query_init(&run->query, &run->arena);
	statement_render_lease(&run->query,
			       &(struct render_lease_parameters){
				   .render_key = render_key_of(run),
				   .version_id = job->app.version_id,
				   .lease = run->lease,
				   .languages = {known, count},
				   .lease_ms = LEASE_MS,
				   .ahead_ms = ahead_ms(run),
			       },
			       NULL);
	submit(run, on_leased);
}

void render_runs_init(struct render_runs *runs)
{
	list_init(&runs->under_way);
}

void render_runs_drain(struct render_runs *runs)
{
	list_for_each (node, &runs->under_way) {
		struct render_run *run = container_of(node, struct render_run, node);

		if (run->is_running)
			engines_cancel(runs->settings.engines, &run->engine);
	}
}

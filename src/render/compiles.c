#include "compiles.h"
#include "base/log.h"
#include "db/statements.h"
#include "problem_json.h"

enum {
	LEASE_MS = 30 * 1000,
	/* Pause between searches for compiles left by dead workers or announced by lost hints. */
	LOOK_MS = 30 * 1000,
	AGAIN_MS = 2 * 1000,
	TRIES_MAX = 5,
	ACCOUNTS_A_LOOK = 100,
};

static void look_in(struct compiles *compiles, uint64_t ms)
{
	if (!compiles->is_draining)
		deadline_set(compiles->settings.loop, &compiles->look, ms);
}

static void begin_pause(struct compiles *compiles, uint64_t ms)
{
	engine_job_finish(&compiles->engine);
	arena_finish(&compiles->arena);
	compiles->is_busy = false;
	look_in(compiles, compiles->looks_again ? 0 : ms);
	compiles->looks_again = false;
}

static void on_stored(struct db_query *query, const struct db_result *result)
{
	struct compiles *compiles = container_of(query, struct compiles, query);
	struct app_compile_store_row row;
	char account[ID_TEXT_LENGTH + 1];

	if (result->outcome == DB_OK && result->row_count) {
		db_read_row(result, 0, query->record, &compiles->arena, &row);
		id_format(row.account_id, account);
		db_hint(compiles->settings.db, arena_printf(&compiles->arena, "changed:%s:app:%.*s",
							    account, STR_ARG(row.slug)));
		db_hint(compiles->settings.db,
			STR("changed:00000000-0000-0000-0000-000000000000:reviews"));
	}
	begin_pause(compiles, 0); /* there may be more */
}

static void on_put_off(struct db_query *query, const struct db_result *result)
{
	struct compiles *compiles = container_of(query, struct compiles, query);

	(void)result; /* without it the version is leased again, and has a try less */
	begin_pause(compiles, compiles->pause_ms);
}

/* Leaves the version for later, and looks for others after a pause. */
static void put_off(struct compiles *compiles, uint64_t pause_ms)
{
	compiles->pause_ms = pause_ms;
	db_query_init(&compiles->query, &compiles->arena);
	statement_app_compile_put_off(
	    &compiles->query,
	    &(struct app_compile_put_off_parameters){.version_id = compiles->row.version_id});
	compiles->query.done = on_put_off;
	db_submit(compiles->settings.db, &compiles->query);
}

/* Whether the answer says nothing about the script. */
static bool is_of_the_machine(const struct engine_problem *problem)
{
	return problem_is_passing(problem) || problem->kind == ENGINE_LATE;
}

static void on_answer(struct engine_job *engine)
{
	struct compiles *compiles = container_of(engine, struct compiles, engine);
	const struct engine_answer *answer = &engine->answer;
	struct str problem;

	compiles->runs = false;
	if (compiles->is_draining && answer->problem.kind == ENGINE_CANCELLED) {
		begin_pause(compiles, AGAIN_MS); /* the lease expires */
		return;
	}
	if (is_of_the_machine(&answer->problem)) {
		put_off(compiles, AGAIN_MS);
		return;
	}
	/* A process may have reached its limits because the machine was busy: try again. */
	if (problem_is_blamed(&answer->problem) && compiles->row.tries < TRIES_MAX) {
		begin_pause(compiles, AGAIN_MS);
		return;
	}
	problem = problem_json(&answer->problem, answer->problem.message, &compiles->arena);
	db_query_init(&compiles->query, &compiles->arena);
	statement_app_compile_store(
	    &compiles->query,
	    &(struct app_compile_store_parameters){
		.version_id = compiles->row.version_id,
		.javascript = problem.data ? (struct str){0} : answer->compiled,
		.problem = problem,
		.engine = str_from(engines_version()),
	    },
	    NULL);
	compiles->query.done = on_stored;
	db_submit(compiles->settings.db, &compiles->query);
}

/* Begins with the first account again after the last one. */
static void look_further(struct compiles *compiles, const struct db_result *result)
{
	bool was_first = id_is_none(compiles->after);

	if (result->outcome != DB_OK) {
		begin_pause(compiles, LOOK_MS);
		return;
	}
	compiles->after = compiles->row.next_after;
	begin_pause(compiles, was_first && id_is_none(compiles->after) ? LOOK_MS : 0);
}

static void on_leased(struct db_query *query, const struct db_result *result)
{
	struct compiles *compiles = container_of(query, struct compiles, query);
	unsigned retry_after_s = 1;

	if (result->outcome == DB_OK)
		db_read_row(result, 0, query->record, &compiles->arena, &compiles->row);
	if (result->outcome != DB_OK || id_is_none(compiles->row.version_id)) {
		look_further(compiles, result);
		return;
	}
	compiles->after = compiles->row.next_after;
	if (compiles->is_draining) {
		begin_pause(compiles, LOOK_MS);
		return;
	}
	compiles->engine = (struct engine_job){
	    .account = compiles->row.account_id,
	    .what = ENGINE_COMPILE,
	    .language = ENGINE_TYPESCRIPT,
	    .script = compiles->row.script_content,
	    .scope = compiles->row.checksum,
	    .is_preview = true, /* a person waits for it */
	    .done = on_answer,
	};
	compiles->runs =
	    engines_submit(compiles->settings.engines, &compiles->engine, &retry_after_s) == 0;
	if (!compiles->runs)
		put_off(compiles, (uint64_t)retry_after_s * 1000);
}

static void on_look(struct deadline *deadline)
{
	struct compiles *compiles = container_of(deadline, struct compiles, look);

	if (!db_is_up(compiles->settings.db)) {
		look_in(compiles, AGAIN_MS);
		return;
	}
	compiles->is_busy = true;
	compiles->engine = (struct engine_job){0};
	db_query_init(&compiles->query, &compiles->arena);
	statement_app_compile_lease(&compiles->query,
				    &(struct app_compile_lease_parameters){
					.after = compiles->after,
					.row_limit = ACCOUNTS_A_LOOK,
					.lease_ms = LEASE_MS,
				    },
				    NULL);
	compiles->query.done = on_leased;
	db_submit(compiles->settings.db, &compiles->query);
}

static void on_hint(struct hint_subscription *hints, struct str text)
{
	struct compiles *compiles = container_of(hints, struct compiles, hints);

	(void)text; /* the database decides which one */
	if (compiles->is_busy)
		compiles->looks_again = true;
	else
		look_in(compiles, 0);
}

void compiles_start(struct compiles *compiles)
{
	const char *why_not;

	deadline_init(&compiles->look, on_look);
	compiles->hints = (struct hint_subscription){.kind = "version", .on_hint = on_hint};
	/* Without the engine, leave it to another instance. */
	compiles->is_draining =
	    !engines_has(compiles->settings.engines, ENGINE_TYPESCRIPT, &why_not);
	db_subscribe(compiles->settings.db, &compiles->hints);
	look_in(compiles, AGAIN_MS);
}

void compiles_drain(struct compiles *compiles)
{
	compiles->is_draining = true;
	deadline_clear(compiles->settings.loop, &compiles->look);
	if (compiles->runs)
		engines_cancel(compiles->settings.engines, &compiles->engine);
}

void compiles_finish(struct compiles *compiles)
{
	db_unsubscribe(&compiles->hints);
	deadline_clear(compiles->settings.loop, &compiles->look);
}

#include "version_checks.h"
#include "base/clock.h"
#include "base/limits.h"
#include "db/note.h"
#include "db/statements.h"
#include "domain/content.h"
#include "domain/form.h"
#include "problem_json.h"

enum {
	/* The lease of a dead worker expires soon; it is renewed while the check is made. */
	LEASE_MS = 30 * 1000,
	RENEW_MS = LEASE_MS / 3,
	/* Pause between searches for checks left by dead workers or announced by lost hints. */
	LOOK_MS = 30 * 1000,
	AGAIN_MS = 2 * 1000,
	/* Pause before a check is repeated; twice as long each time. */
	REPEAT_MS = 1000,
	REPEATS_DOUBLED = 8,
	/* Additional time by the clock for the second try; twice as long each time. A machine so
	 * busy that the first try had too little of the processor may stay so. */
	WALL_EXTRA_MS = 60 * 1000,
	WALL_DOUBLED = 3,
	/* Times that a crash is tried: other processes may have taken the memory. */
	CRASHES_MAX = 3,
};

static struct str language_name(const struct version_check *check)
{
	return check->language == ENGINE_TYPESCRIPT ? STR("TYPESCRIPT") : STR("STARLARK");
}

static void look_in(struct version_check *check, uint64_t ms)
{
	if (!check->checks->is_draining)
		deadline_set(check->checks->settings.loop, &check->look, ms);
}

/* Lets an idle one of the same language look for a version. */
static void wake_idle(struct version_checks *checks, enum engine_language language)
{
	for (unsigned i = 0; i < VERSION_CHECKS_AT_ONCE; i++) {
		if (checks->slots[language][i].is_busy)
			continue;
		look_in(&checks->slots[language][i], 0);
		return;
	}
}

static void begin_pause(struct version_check *check, uint64_t ms)
{
	deadline_clear(check->checks->settings.loop, &check->renew);
	engine_job_finish(&check->engine);
	arena_finish(&check->form_arena);
	arena_finish(&check->arena);
	check->is_busy = false;
	look_in(check, check->looks_again ? 0 : ms);
	check->looks_again = false;
}

/* ---- the lease ---- */

/* Holds the lease for so long from now; 0: returns it. */
static void hold(struct version_check *check, uint64_t ms)
{
	struct db_note *note = db_note_new();

	statement_version_check_hold(&note->query, &(struct version_check_hold_parameters){
						       .version_id = check->row->version_id,
						       .lease_ms = (int64_t)ms,
						   });
	db_note_send(check->checks->settings.db, note);
}

static void on_renew(struct deadline *deadline)
{
	struct version_check *check = container_of(deadline, struct version_check, renew);

	hold(check, LEASE_MS);
	deadline_set(check->checks->settings.loop, &check->renew, RENEW_MS);
}

/* Ends a check without a verdict. */
static void give_back(struct version_check *check, uint64_t ms)
{
	hold(check, ms);
	begin_pause(check, 0); /* another account may wait */
}

static void repeat_later(struct version_check *check)
{
	int64_t tries = check->row->tries;

	give_back(check,
		  (uint64_t)REPEAT_MS << (tries < REPEATS_DOUBLED ? tries - 1 : REPEATS_DOUBLED));
}

/* ---- the verdict ---- */

static void on_stored(struct db_query *query, const struct db_result *result)
{
	struct version_check *check = container_of(query, struct version_check, query);
	struct db *db = check->checks->settings.db;
	struct version_check_store_row row;
	char account[ID_TEXT_LENGTH + 1];

	if (result->outcome == DB_OK && result->row_count) {
		db_read_row(result, 0, query->record, &check->arena, &row);
		id_format(row.account_id, account);
		db_hint(db, arena_printf(&check->arena, "changed:%s:app:%.*s", account,
					 STR_ARG(row.slug)));
		db_hint(db, STR("changed:00000000-0000-0000-0000-000000000000:reviews"));
	}
	delivery_version_checked(check->checks->settings.delivery, check->row->version_id);
	begin_pause(check, 0); /* there may be more */
}

static void store(struct version_check *check)
{
	db_query_init(&check->query, &check->arena);
	statement_version_check_store(&check->query,
				      &(struct version_check_store_parameters){
					  .version_id = check->row->version_id,
					  .is_bad = verdict_is_bad(&check->facts),
					  .verdict = verdict_write(&check->facts, &check->arena),
				      },
				      NULL);
	check->query.done = on_stored;
	db_submit(check->checks->settings.db, &check->query);
}

/* Whether another run may have another result: the machine was busy, or this worker ends. */
static bool is_to_be_repeated(const struct version_check *check)
{
	const struct engine_answer *answer = &check->engine.answer;
	enum engine_problem_kind kind = answer->problem.kind;

	return problem_is_passing(&answer->problem) || kind == ENGINE_LATE ||
	       (kind == ENGINE_CRASH && check->row->tries < CRASHES_MAX);
}

/* ---- runs of the script ---- */

/* Returns the additional time by the clock of this try. */
static unsigned wall_extra_ms(const struct version_check *check)
{
	int64_t repeats = check->row->tries - 1;

	if (repeats <= 0)
		return 0;
	return (unsigned)WALL_EXTRA_MS << (repeats < WALL_DOUBLED ? repeats - 1 : WALL_DOUBLED);
}

/* Runs it in the turns of renders, with their full time: previews of an account may have less. */
static void run(struct version_check *check, enum engine_what what,
		void (*done)(struct engine_job *engine))
{
	const struct version_check_lease_row *row = check->row;
	unsigned retry_after_s = 1;

	engine_job_finish(&check->engine);
	check->engine = (struct engine_job){
	    .account = row->account_id,
	    .what = what,
	    .language = check->language,
	    .script = row->script_content,
	    .compiled = check->compiled,
	    .scope = row->checksum,
	    .now_ms = clock_wall_us() / 1000,
	    .seed = 1,
	    .max_whole_ms = CONTENT_ANIMATION_MAX_S * 1000,
	    .turn_ms = CONTENT_WHOLE_MAX_S * 1000,
	    .has_network = true,
	    .is_refused = true,
	    .wall_extra_ms = wall_extra_ms(check),
	    .done = done,
	};
	check->runs =
	    engines_submit(check->checks->settings.engines, &check->engine, &retry_after_s) == 0;
	if (!check->runs)
		give_back(check, (uint64_t)retry_after_s * 1000);
}

static void on_rendered(struct engine_job *engine)
{
	struct version_check *check = container_of(engine, struct version_check, engine);

	check->runs = false;
	if (is_to_be_repeated(check)) {
		repeat_later(check);
		return;
	}
	check->facts.rendered = &engine->answer;
	store(check);
}

/* ---- the form ---- */

static bool read_form(struct lane_job *job)
{
	struct version_check *check = container_of(job, struct version_check, reading);
	struct form form = {0};
	struct str reason;

	if (form_read(check->schema, &check->form_arena, &form, &reason))
		check->facts.fields = (int)form.count;
	else
		check->facts.load = (struct engine_problem){
		    .kind = ENGINE_WRONG_SCRIPT,
		    .message = reason,
		};
	return false;
}

static void on_form_read(struct lane_job *job)
{
	struct version_check *check = container_of(job, struct version_check, reading);

	if (check->facts.load.kind == ENGINE_DONE && !check->checks->is_draining)
		run(check, ENGINE_PICTURE, on_rendered);
	else if (check->facts.load.kind == ENGINE_DONE)
		give_back(check, 0);
	else
		store(check);
}

static void start_reading(struct version_check *check)
{
	unsigned retry_after_s = 1;

	if (check->schema.length <= LIMIT_LOOP_TEXT_BYTES) {
		(void)read_form(&check->reading);
		on_form_read(&check->reading);
		return;
	}
	check->reading = (struct lane_job){
	    .account = check->row->account_id,
	    .size = check->schema.length,
	    .run = read_form,
	    .done = on_form_read,
	};
	if (lanes_submit(check->checks->settings.loop, LANE_SHORT, &check->reading,
			 &retry_after_s) < 0)
		give_back(check, (uint64_t)retry_after_s * 1000);
}

static void keep_compiled(const struct version_check *check)
{
	struct db_note *note = db_note_new();

	statement_app_compile_store(&note->query,
				    &(struct app_compile_store_parameters){
					.version_id = check->row->version_id,
					.javascript = arena_copy(&note->arena, check->compiled),
					.engine = str_from(engines_version()),
				    });
	db_note_send(check->checks->settings.db, note);
}

static void on_loaded(struct engine_job *engine)
{
	struct version_check *check = container_of(engine, struct version_check, engine);
	const struct engine_answer *answer = &engine->answer;
	struct arena *arena = &check->arena;

	check->runs = false;
	if (answer->compiled.length) {
		check->compiled = arena_copy(arena, answer->compiled);
		keep_compiled(check);
	}
	if (is_to_be_repeated(check)) {
		repeat_later(check);
		return;
	}
	check->schema = arena_copy(arena, answer->schema);
	check->facts =
	    (struct verdict_facts){.load = answer->problem, .fields = -1, .cpu_us = answer->cpu_us};
	check->facts.load.message = arena_copy(arena, answer->problem.message);
	check->facts.load.file = arena_copy(arena, answer->problem.file);
	check->facts.load_hosts = arena_copy(arena, answer->hosts);
	if (answer->problem.kind == ENGINE_DONE)
		start_reading(check);
	else
		store(check);
}

/* ---- turns ---- */

/* Goes on after the last account with a version: with the first one, once. */
static void wrap(struct version_check *check)
{
	bool has_more = !check->has_wrapped && !id_is_none(check->after);
	uint64_t pause_ms = check->has_waiting ? AGAIN_MS : LOOK_MS;

	check->after = (struct id){0};
	check->has_wrapped = has_more;
	if (!has_more)
		check->has_waiting = false;
	begin_pause(check, has_more ? 0 : pause_ms);
}

static void on_leased(struct db_query *query, const struct db_result *result)
{
	struct version_check *check = container_of(query, struct version_check, query);

	if (result->outcome != DB_OK) {
		begin_pause(check, LOOK_MS);
		return;
	}
	if (result->row_count == 0) {
		wrap(check);
		return;
	}
	check->row = arena_alloc(&check->arena, sizeof(*check->row));
	db_read_row(result, 0, query->record, &check->arena, check->row);
	check->after = check->row->share;
	if (id_is_none(check->row->version_id)) {
		check->has_waiting = true;
		begin_pause(check, 0);
		return;
	}
	check->has_wrapped = check->has_waiting = false;
	if (check->checks->is_draining) {
		give_back(check, 0);
		return;
	}
	check->compiled = check->row->javascript;
	deadline_set(check->checks->settings.loop, &check->renew, RENEW_MS);
	wake_idle(check->checks, check->language);
	run(check, ENGINE_SCHEMA, on_loaded);
}

static void on_look(struct deadline *deadline)
{
	struct version_check *check = container_of(deadline, struct version_check, look);
	struct db *db = check->checks->settings.db;
	const char *why_not;

	/* Without the engine, leave it to another instance. */
	if (!engines_has(check->checks->settings.engines, check->language, &why_not)) {
		look_in(check, LOOK_MS);
		return;
	}
	if (!db_is_up(db)) {
		look_in(check, AGAIN_MS);
		return;
	}
	check->is_busy = true;
	check->engine = (struct engine_job){0};
	db_query_init(&check->query, &check->arena);
	statement_version_check_lease(&check->query,
				      &(struct version_check_lease_parameters){
					  .language = language_name(check),
					  .after_share = check->after,
					  .lease_ms = LEASE_MS,
				      },
				      NULL);
	check->query.done = on_leased;
	db_submit(db, &check->query);
}

static void on_hint(struct hint_subscription *hints, struct str text)
{
	struct version_checks *checks = container_of(hints, struct version_checks, hints);

	(void)text; /* the database decides which one */
	for (unsigned language = 0; language < ENGINE_LANGUAGE_COUNT; language++) {
		wake_idle(checks, language);
		for (unsigned i = 0; i < VERSION_CHECKS_AT_ONCE; i++)
			checks->slots[language][i].looks_again = checks->slots[language][i].is_busy;
	}
}

/* ---- start and end ---- */

void version_checks_start(struct version_checks *checks)
{
	checks->hints = (struct hint_subscription){.kind = STR("version"), .on_hint = on_hint};
	db_subscribe(checks->settings.db, &checks->hints);
	for (unsigned language = 0; language < ENGINE_LANGUAGE_COUNT; language++) {
		for (unsigned i = 0; i < VERSION_CHECKS_AT_ONCE; i++) {
			struct version_check *check = &checks->slots[language][i];

			check->checks = checks;
			check->language = (enum engine_language)language;
			deadline_init(&check->look, on_look);
			deadline_init(&check->renew, on_renew);
			look_in(check, AGAIN_MS);
		}
	}
}

void version_checks_drain(struct version_checks *checks)
{
	checks->is_draining = true;
	for (unsigned language = 0; language < ENGINE_LANGUAGE_COUNT; language++) {
		for (unsigned i = 0; i < VERSION_CHECKS_AT_ONCE; i++) {
			struct version_check *check = &checks->slots[language][i];

			deadline_clear(checks->settings.loop, &check->look);
			deadline_clear(checks->settings.loop, &check->renew);
			if (check->runs)
				engines_cancel(checks->settings.engines, &check->engine);
		}
	}
}

void version_checks_finish(struct version_checks *checks)
{
	db_unsubscribe(&checks->hints);
	for (unsigned language = 0; language < ENGINE_LANGUAGE_COUNT; language++) {
		for (unsigned i = 0; i < VERSION_CHECKS_AT_ONCE; i++) {
			deadline_clear(checks->settings.loop, &checks->slots[language][i].look);
			deadline_clear(checks->settings.loop, &checks->slots[language][i].renew);
		}
	}
}

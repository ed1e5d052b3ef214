#include "app_seals.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "db/statements.h"
#include "domain/stored_settings.h"

#include <stdlib.h>

enum {
	START_MS = 1000,
	LOOK_MS = 60 * 1000,
	FAILED_MS = 5 * 1000,
	LEASE_S = 120,
	PORTION = 100,
};

/* An installation that is being sealed. */
struct entry {
	const struct seal_entries_row *row; /* in app_arena */
	struct form form; /* that of its language, and what is made of its settings */
	struct settings open, secret, all;
	unsigned own, seen, asked; /* fields of the form itself, those seen, handlers asked */
};

struct app_seals {
	struct app_seals_settings with;
	struct hint_subscription hints;
	struct deadline next;
	struct later go_on;
	struct str languages[ENGINE_LANGUAGE_COUNT]; /* that this build has */
	unsigned language_count;
	bool is_busy;
	bool wants_look; /* a hint came meanwhile */
	bool is_draining;

	/* State of the leased app. */
	struct id lease;
	struct arena app_arena; /* a portion, and the form of one language */
	struct seal_next_row app;
	struct seal_entries_row *rows;
	unsigned row_count, row_at;
	struct str locale; /* of form; data is NULL: there is none yet */
	struct form form;
	struct seal_form_row source;
	bool has_failed;

	/* State of one installation, and of the query under way. */
	struct arena arena;
	struct entry entry;
	struct db_query query;
	struct engine_job job;
	struct app_schema_keep_row kept;
	struct rotation_entry_update_row set;
};

static void ask_made(struct app_seals *seals);

static struct app_seals *seals_of(struct db_query *query)
{
	return container_of(query, struct app_seals, query);
}

static void ask(struct app_seals *seals,
		void (*done)(struct db_query *query, const struct db_result *result))
{
	seals->query.done = done;
	db_submit(seals->with.db, &seals->query);
}

static void rest(struct app_seals *seals, uint64_t ms)
{
	engine_job_finish(&seals->job);
	arena_finish(&seals->arena);
	arena_finish(&seals->app_arena);
	seals->locale = (struct str){0};
	seals->is_busy = false;
	if (seals->wants_look)
		ms = 0;
	seals->wants_look = false;
	if (!seals->is_draining)
		deadline_set(seals->with.loop, &seals->next, ms);
}

static void on_end(struct db_query *query, const struct db_result *result)
{
	rest(seals_of(query), result->outcome == DB_OK ? 0 : FAILED_MS);
}

static void end(struct app_seals *seals)
{
	char id[ID_TEXT_LENGTH + 1];

	id_format(seals->app.app_id, id);
	if (seals->has_failed)
		log_info("web", "cannot tell which settings of an app are secret, trying later",
			 LOG_TEXT("app", id));
	db_query_init(&seals->query, &seals->arena);
	statement_seal_end(
	    &seals->query,
	    &(struct seal_end_parameters){.lease = seals->lease, .has_failed = seals->has_failed});
	ask(seals, on_end);
}

/* ---- an installation ---- */

static void entry_done(struct app_seals *seals)
{
	engine_job_finish(&seals->job);
	seals->job = (struct engine_job){0};
	arena_finish(&seals->arena);
	seals->arena = (struct arena){0};
	seals->row_at++;
	loop_later(seals->with.loop, &seals->go_on);
}

static void fail_entry(struct app_seals *seals)
{
	seals->has_failed = true;
	entry_done(seals);
}

static void on_stored(struct db_query *query, const struct db_result *result)
{
	struct app_seals *seals = seals_of(query);

	/* No row: its owner has saved other settings, which are sealed. */
	if (result->outcome != DB_OK) {
		fail_entry(seals);
		return;
	}
	if (result->row_count) {
		db_read_row(result, 0, query->record, &seals->arena, &seals->set);
		delivery_device_changed(seals->with.delivery, seals->entry.row->device_id,
					seals->set.generation);
	}
	entry_done(seals);
}

static void seal(struct app_seals *seals)
{
	struct entry *entry = &seals->entry;
	const struct seal_entries_row *row = entry->row;
	struct stored_settings stored;

	if (!stored_settings_hide(&entry->form, &seals->arena, &entry->open, &entry->secret)) {
		entry_done(seals);
		return;
	}
	stored_settings_make(seals->with.key, row->device_id, row->id, &entry->open, &entry->secret,
			     &seals->arena, &stored);
	db_query_init(&seals->query, &seals->arena);
	statement_rotation_entry_update(&seals->query,
					&(struct rotation_entry_update_parameters){
					    .device_id = row->device_id,
					    .id = row->id,
					    .settings = stored.open,
					    .secret_settings = stored.sealed,
					    .settings_hash = stored.hash,
					    .seen_hash = row->settings_hash,
					    .version_id = seals->app.version_id,
					},
					NULL);
	ask(seals, on_stored);
}

/* ---- running the script ---- */

static void run(struct app_seals *seals, enum engine_what what,
		void (*done)(struct engine_job *job))
{
	const struct seal_entries_row *row = seals->entry.row;
	const struct seal_form_row *source = &seals->source;
	unsigned retry_after_s;

	engine_job_finish(&seals->job);
	seals->job = (struct engine_job){
	    .account = row->account_id,
	    .what = what,
	    .script = source->script,
	    .compiled = source->javascript,
	    .scope = source->checksum,
	    .config = what == ENGINE_SCHEMA ? STR("{}")
					    : settings_to_text(&seals->entry.all, &seals->arena),
	    .now_ms = clock_wall_us() / 1000,
	    .locale = row->locale,
	    .seed = (uint64_t)clock_wall_us(),
	    .has_network = !seals->app.is_disabled,
	    .handler = seals->job.handler,
	    .parameter = seals->job.parameter,
	    .done = done,
	};
	if (seals->is_draining || !engine_language_read(source->language, &seals->job.language) ||
	    engines_submit(seals->with.engines, &seals->job, &retry_after_s) < 0)
		fail_entry(seals);
}

static void on_made(struct engine_job *job)
{
	struct app_seals *seals = container_of(job, struct app_seals, job);
	struct str reason;
	struct form more;

	if (job->answer.problem.kind != ENGINE_DONE ||
	    !form_read(job->answer.result, &seals->arena, &more, &reason)) {
		fail_entry(seals);
		return;
	}
	form_add(&seals->entry.form, &more, &seals->arena);
	ask_made(seals);
}

/* Asks the next GENERATED field which fields it makes of the installation's settings. */
static void ask_made(struct app_seals *seals)
{
	struct entry *entry = &seals->entry;
	const struct form_field *field = form_next_maker(&entry->form, entry->own, &entry->seen);

	if (!field) {
		seal(seals);
		return;
	}
	if (++entry->asked > FORM_MAKERS_MAX || !form_has_handler(field)) {
		fail_entry(seals);
		return;
	}
	seals->job.handler = field->handler;
	seals->job.parameter = settings_of_source(&entry->all, &entry->form, field);
	run(seals, ENGINE_HANDLER, on_made);
}

/* ---- the form ---- */

static bool read_source(struct app_seals *seals, const struct db_result *result)
{
	if (result->outcome != DB_OK || result->row_count == 0) {
		fail_entry(seals);
		return false;
	}
	db_read_row(result, 0, seals->query.record, &seals->arena, &seals->source);
	return true;
}

static void on_script(struct db_query *query, const struct db_result *result)
{
	struct app_seals *seals = seals_of(query);

	if (read_source(seals, result))
		ask_made(seals);
}

static void find_source(struct app_seals *seals, bool is_run,
			void (*done)(struct db_query *query, const struct db_result *result))
{
	db_query_init(&seals->query, &seals->arena);
	statement_seal_form(&seals->query,
			    &(struct seal_form_parameters){
				.version_id = seals->app.version_id,
				.locale = seals->entry.row->locale,
				.engine = str_from(engines_version()),
				.is_run = is_run,
			    },
			    NULL);
	ask(seals, done);
}

/* The form of the installation's language is there. */
static void take_form(struct app_seals *seals)
{
	struct entry *entry = &seals->entry;
	const struct seal_entries_row *row = entry->row;
	struct str json;

	entry->form = seals->form;
	entry->own = entry->form.count;
	settings_parse(row->settings, &seals->arena, &entry->open);
	if (row->secret_settings.length) {
		/* Sealed with another key, so it cannot be added to: the owner gets an error, and
		 * sets it again. */
		if (!settings_open(seals->with.key, row->device_id, row->id, row->secret_settings,
				   &seals->arena, &json)) {
			fail_entry(seals);
			return;
		}
		settings_parse(json, &seals->arena, &entry->secret);
	}
	settings_merge(&entry->open, &entry->secret, &seals->arena, &entry->all);
	if (form_makes_more(&entry->form) && settings_has_unknown(&entry->open, &entry->form))
		find_source(seals, /* is_run= */ true, on_script);
	else
		seal(seals);
}

static bool read_form(struct app_seals *seals, struct str schema)
{
	struct str reason;

	if (!form_read(schema.data ? schema : STR(""), &seals->app_arena, &seals->form, &reason))
		return false;
	seals->locale = seals->entry.row->locale;
	return true;
}

static void on_kept(struct db_query *query, const struct db_result *result)
{
	(void)result;
	take_form(seals_of(query));
}

static void on_schema(struct engine_job *job)
{
	struct app_seals *seals = container_of(job, struct app_seals, job);
	struct str schema = job->answer.schema.data ? job->answer.schema : STR("");

	if (job->answer.problem.kind != ENGINE_DONE || !read_form(seals, schema)) {
		fail_entry(seals);
		return;
	}
	if (!seals->source.javascript.length && job->answer.compiled.length)
		seals->source.javascript = arena_copy(&seals->arena, job->answer.compiled);
	if (seals->app.is_disabled) { /* without network: not what others would get */
		take_form(seals);
		return;
	}
	db_query_init(&seals->query, &seals->arena);
	statement_app_schema_keep(&seals->query,
				  &(struct app_schema_keep_parameters){
				      .version_id = seals->app.version_id,
				      .locale = seals->entry.row->locale,
				      .engine = str_from(engines_version()),
				      .schema = schema,
				      .hosts = job->answer.hosts.data ? job->answer.hosts : STR(""),
				  },
				  &seals->kept);
	ask(seals, on_kept);
}

static void on_source(struct db_query *query, const struct db_result *result)
{
	struct app_seals *seals = seals_of(query);

	if (!read_source(seals, result))
		return;
	if (!seals->source.has_schema)
		run(seals, ENGINE_SCHEMA, on_schema);
	else if (read_form(seals, seals->source.schema))
		take_form(seals);
	else
		fail_entry(seals);
}

/* ---- portions ---- */

static void on_entries(struct db_query *query, const struct db_result *result)
{
	struct app_seals *seals = seals_of(query);

	if (result->outcome != DB_OK || seals->is_draining) {
		rest(seals, FAILED_MS);
		return;
	}
	seals->row_at = 0;
	seals->row_count = result->row_count;
	if (result->row_count == 0) {
		end(seals);
		return;
	}
	seals->rows = db_read_rows(result, query->record, &seals->app_arena);
	loop_later(seals->with.loop, &seals->go_on);
}

static void take_portion(struct app_seals *seals, struct id after_device_id, struct str after_id)
{
	db_query_init(&seals->query, &seals->arena);
	statement_seal_entries(&seals->query,
			       &(struct seal_entries_parameters){
				   .lease = seals->lease,
				   .lease_s = LEASE_S,
				   .app_id = seals->app.app_id,
				   .version_id = seals->app.version_id,
				   .after_device_id = after_device_id,
				   .after_id = after_id,
				   .row_limit = PORTION,
			       },
			       NULL);
	ask(seals, on_entries);
}

static void take_next_portion(struct app_seals *seals)
{
	struct seal_entries_row last = seals->rows[seals->row_count - 1];

	last.id = arena_copy(&seals->arena, last.id);
	/* The next step reads the form of its language again. */
	arena_finish(&seals->app_arena);
	seals->app_arena = (struct arena){0};
	seals->locale = (struct str){0};
	take_portion(seals, last.device_id, last.id);
}

/* Takes one installation in each turn of the loop: settings may be long. */
static void take_next(struct later *go_on)
{
	struct app_seals *seals = container_of(go_on, struct app_seals, go_on);

	if (seals->is_draining) {
		rest(seals, 0);
		return;
	}
	if (seals->row_at == seals->row_count) {
		take_next_portion(seals);
		return;
	}
	seals->entry = (struct entry){.row = &seals->rows[seals->row_at]};
	if (seals->locale.data && str_equal(seals->locale, seals->entry.row->locale))
		take_form(seals);
	else
		find_source(seals, /* is_run= */ false, on_source);
}

/* ---- looking for apps ---- */

static void on_leased(struct db_query *query, const struct db_result *result)
{
	struct app_seals *seals = seals_of(query);

	if (result->outcome != DB_OK || result->row_count == 0 || seals->is_draining) {
		rest(seals, result->outcome == DB_OK ? LOOK_MS : FAILED_MS);
		return;
	}
	db_read_row(result, 0, query->record, &seals->arena, &seals->app);
	seals->has_failed = false;
	take_portion(seals, (struct id){0}, STR(""));
}

static void look(struct deadline *deadline)
{
	struct app_seals *seals = container_of(deadline, struct app_seals, next);

	if (!db_is_up(seals->with.db)) {
		deadline_set(seals->with.loop, deadline, START_MS);
		return;
	}
	seals->is_busy = true;
	seals->arena = seals->app_arena = (struct arena){0};
	seals->lease = id_new();
	db_query_init(&seals->query, &seals->arena);
	statement_seal_next(&seals->query,
			    &(struct seal_next_parameters){
				.lease = seals->lease,
				.languages = {seals->languages, seals->language_count},
				.lease_s = LEASE_S,
			    },
			    NULL);
	ask(seals, on_leased);
}

static void on_hint(struct hint_subscription *subscription, struct str text)
{
	struct app_seals *seals = container_of(subscription, struct app_seals, hints);

	(void)text;
	if (seals->is_busy)
		seals->wants_look = true;
	else if (!seals->is_draining)
		deadline_set(seals->with.loop, &seals->next, 0);
}

struct app_seals *app_seals_create(const struct app_seals_settings *settings)
{
	struct app_seals *seals = memory_zalloc(sizeof(*seals));

	seals->with = *settings;
	deadline_init(&seals->next, look);
	loop_later_init(&seals->go_on, take_next);
	seals->hints = (struct hint_subscription){.kind = "seal", .on_hint = on_hint};
	seals->language_count = engines_languages(settings->engines, seals->languages);
	/* A build without engines cannot read forms. */
	seals->is_draining = seals->language_count == 0;
	if (!seals->is_draining)
		deadline_set(settings->loop, &seals->next, START_MS);
	db_subscribe(settings->db, &seals->hints);
	return seals;
}

void app_seals_drain(struct app_seals *seals)
{
	seals->is_draining = true;
	deadline_clear(seals->with.loop, &seals->next);
}

void app_seals_destroy(struct app_seals *seals)
{
	db_unsubscribe(&seals->hints);
	deadline_clear(seals->with.loop, &seals->next);
	loop_later_cancel(&seals->go_on);
	arena_finish(&seals->arena);
	arena_finish(&seals->app_arena);
	free(seals);
}

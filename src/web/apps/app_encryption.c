#include "app_encryption.h"
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

/* Installation that is being encrypted. */
struct entry {
	const struct encrypt_entries_row *row; /* in app_arena */
	struct form form; /* form in its language, with the fields made from its settings */
	struct settings open, secret, all;
	unsigned own, seen, asked; /* own fields of the form, fields checked, handlers called */
};

struct app_encryption {
	struct app_encryption_settings with;
	struct hint_subscription hints;
	struct deadline next;
	struct later go_on;
	struct str languages[ENGINE_LANGUAGE_COUNT]; /* languages of this build */
	unsigned language_count;
	bool is_busy, is_draining;
	bool wants_look; /* a hint arrived meanwhile */

	/* State of the leased app. */
	struct id lease;
	struct arena app_arena; /* a portion, and the form of one language */
	struct encrypt_next_row app;
	struct encrypt_entries_row *rows;
	unsigned row_count, row_at;
	struct str locale; /* locale of form; data is NULL: none yet */
	struct form form;
	struct encrypt_form_row source;
	bool has_failed;

	/* State of one installation, and of the query under way. */
	struct arena arena;
	struct entry entry;
	struct db_query query;
	struct engine_job job;
	struct app_schema_keep_row kept;
	struct rotation_entry_update_row set;
};

static void ask_made(struct app_encryption *work);

static struct app_encryption *encryption_of(struct db_query *query)
{
	return container_of(query, struct app_encryption, query);
}

static void app_encryption_ask(struct app_encryption *work,
			       void (*done)(struct db_query *query, const struct db_result *result))
{
	work->query.done = done;
	db_submit(work->with.db, &work->query);
}

static void begin_pause(struct app_encryption *work, uint64_t ms)
{
	engine_job_finish(&work->job);
	arena_finish(&work->arena);
	arena_finish(&work->app_arena);
	work->locale = (struct str){0};
	work->is_busy = false;
	if (work->wants_look)
		ms = 0;
	work->wants_look = false;
	if (!work->is_draining)
		deadline_set(work->with.loop, &work->next, ms);
}

static void on_end(struct db_query *query, const struct db_result *result)
{
	begin_pause(encryption_of(query), result->outcome == DB_OK ? 0 : FAILED_MS);
}

static void app_encryption_end(struct app_encryption *work)
{
	char id[ID_TEXT_LENGTH + 1];

	id_format(work->app.app_id, id);
	if (work->has_failed)
		log_info("web", "cannot tell which settings of an app are secret, trying later",
			 LOG_TEXT("app", id));
	db_query_init(&work->query, &work->arena);
	statement_encrypt_end(
	    &work->query,
	    &(struct encrypt_end_parameters){.lease = work->lease, .has_failed = work->has_failed});
	app_encryption_ask(work, on_end);
}

/* ---- an installation ---- */

static void entry_done(struct app_encryption *work)
{
	engine_job_finish(&work->job);
	work->job = (struct engine_job){0};
	arena_finish(&work->arena);
	work->arena = (struct arena){0};
	work->row_at++;
	loop_later(work->with.loop, &work->go_on);
}

static void fail_entry(struct app_encryption *work)
{
	work->has_failed = true;
	entry_done(work);
}

static void on_stored(struct db_query *query, const struct db_result *result)
{
	struct app_encryption *work = encryption_of(query);

	/* No row: its owner has saved other settings meanwhile, which are encrypted. */
	if (result->outcome != DB_OK) {
		fail_entry(work);
		return;
	}
	if (result->row_count) {
		db_read_row(result, 0, query->record, &work->arena, &work->set);
		delivery_device_changed(work->with.delivery, work->entry.row->device_id,
					work->set.generation);
	}
	entry_done(work);
}

static void encrypt(struct app_encryption *work)
{
	struct entry *entry = &work->entry;
	const struct encrypt_entries_row *row = entry->row;
	struct stored_settings stored;

	if (!stored_settings_hide(&entry->form, &work->arena, &entry->open, &entry->secret)) {
		entry_done(work);
		return;
	}
	stored_settings_make(work->with.key, row->device_id, row->id, &entry->open, &entry->secret,
			     &work->arena, &stored);
	db_query_init(&work->query, &work->arena);
	statement_rotation_entry_update(&work->query,
					&(struct rotation_entry_update_parameters){
					    .device_id = row->device_id,
					    .id = row->id,
					    .settings = stored.open,
					    .secret_settings = stored.encrypted,
					    .settings_hash = stored.hash,
					    .seen_hash = row->settings_hash,
					    .version_id = work->app.version_id,
					},
					NULL);
	app_encryption_ask(work, on_stored);
}

/* ---- running the script ---- */

static void app_encryption_run(struct app_encryption *work, enum engine_what what,
			       void (*done)(struct engine_job *job))
{
	const struct encrypt_entries_row *row = work->entry.row;
	const struct encrypt_form_row *source = &work->source;
	unsigned retry_after_s;

	engine_job_finish(&work->job);
	work->job = (struct engine_job){
	    .account = row->account_id,
	    .what = what,
	    .script = source->script,
	    .compiled = source->javascript,
	    .scope = source->checksum,
	    .config = what == ENGINE_SCHEMA ? STR("{}")
					    : settings_to_text(&work->entry.all, &work->arena),
	    .now_ms = clock_wall_us() / 1000,
	    .locale = row->locale,
	    .seed = (uint64_t)clock_wall_us(),
	    .has_network = !work->app.is_disabled,
	    .handler = work->job.handler,
	    .parameter = work->job.parameter,
	    .done = done,
	};
	if (work->is_draining || !engine_language_read(source->language, &work->job.language) ||
	    engines_submit(work->with.engines, &work->job, &retry_after_s) < 0)
		fail_entry(work);
}

static void on_made(struct engine_job *job)
{
	struct app_encryption *work = container_of(job, struct app_encryption, job);
	struct str reason;
	struct form more;

	if (job->answer.problem.kind != ENGINE_DONE ||
	    !form_read(job->answer.result, &work->arena, &more, &reason)) {
		fail_entry(work);
		return;
	}
	form_add(&work->entry.form, &more, &work->arena);
	ask_made(work);
}

/* Calls the handler of the next GENERATED field with the installation's settings. */
static void ask_made(struct app_encryption *work)
{
	struct entry *entry = &work->entry;
	const struct form_field *field = form_next_maker(&entry->form, entry->own, &entry->seen);

	if (!field) {
		encrypt(work);
		return;
	}
	if (++entry->asked > FORM_MAKERS_MAX || !form_has_handler(field)) {
		fail_entry(work);
		return;
	}
	work->job.handler = field->handler;
	work->job.parameter = settings_of_source(&entry->all, &entry->form, field);
	app_encryption_run(work, ENGINE_HANDLER, on_made);
}

/* ---- the form ---- */

static bool read_source(struct app_encryption *work, const struct db_result *result)
{
	if (result->outcome != DB_OK || result->row_count == 0) {
		fail_entry(work);
		return false;
	}
	db_read_row(result, 0, work->query.record, &work->arena, &work->source);
	return true;
}

static void on_script(struct db_query *query, const struct db_result *result)
{
	struct app_encryption *work = encryption_of(query);

	if (read_source(work, result))
		ask_made(work);
}

static void find_source(struct app_encryption *work, bool is_run,
			void (*done)(struct db_query *query, const struct db_result *result))
{
	db_query_init(&work->query, &work->arena);
	statement_encrypt_form(&work->query,
			       &(struct encrypt_form_parameters){
				   .version_id = work->app.version_id,
				   .locale = work->entry.row->locale,
				   .engine = str_from(engines_version()),
				   .is_run = is_run,
			       },
			       NULL);
	app_encryption_ask(work, done);
}

/* Continues with the form in the installation's language. */
static void take_form(struct app_encryption *work)
{
	struct entry *entry = &work->entry;
	const struct encrypt_entries_row *row = entry->row;
	struct str json;

	entry->form = work->form;
	entry->own = entry->form.count;
	settings_parse(row->settings, &work->arena, &entry->open);
	if (row->secret_settings.length) {
		/* Encrypted with another key, so nothing can be added: the owner gets an error, and
		 * sets them again. */
		if (!settings_decrypt(work->with.key, row->device_id, row->id, row->secret_settings,
				      &work->arena, &json)) {
			fail_entry(work);
			return;
		}
		settings_parse(json, &work->arena, &entry->secret);
	}
	settings_merge(&entry->open, &entry->secret, &work->arena, &entry->all);
	if (form_makes_more(&entry->form) && settings_has_unknown(&entry->open, &entry->form))
		find_source(work, /* is_run= */ true, on_script);
	else
		encrypt(work);
}

static bool read_form(struct app_encryption *work, struct str schema)
{
	struct str reason;

	if (!form_read(schema.data ? schema : STR(""), &work->app_arena, &work->form, &reason))
		return false;
	work->locale = work->entry.row->locale;
	return true;
}

static void on_kept(struct db_query *query, const struct db_result *result)
{
	(void)result;
	take_form(encryption_of(query));
}

static void on_schema(struct engine_job *job)
{
	struct app_encryption *work = container_of(job, struct app_encryption, job);
	struct str schema = job->answer.schema.data ? job->answer.schema : STR("");

	if (job->answer.problem.kind != ENGINE_DONE || !read_form(work, schema)) {
		fail_entry(work);
		return;
	}
	if (!work->source.javascript.length && job->answer.compiled.length)
		work->source.javascript = arena_copy(&work->arena, job->answer.compiled);
	if (work->app.is_disabled) { /* made without network, so not for others */
		take_form(work);
		return;
	}
	db_query_init(&work->query, &work->arena);
	statement_app_schema_keep(&work->query,
				  &(struct app_schema_keep_parameters){
				      .version_id = work->app.version_id,
				      .locale = work->entry.row->locale,
				      .engine = str_from(engines_version()),
				      .schema = schema,
				      .hosts = job->answer.hosts.data ? job->answer.hosts : STR(""),
				  },
				  &work->kept);
	app_encryption_ask(work, on_kept);
}

static void on_source(struct db_query *query, const struct db_result *result)
{
	struct app_encryption *work = encryption_of(query);

	if (!read_source(work, result))
		return;
	if (!work->source.has_schema)
		app_encryption_run(work, ENGINE_SCHEMA, on_schema);
	else if (read_form(work, work->source.schema))
		take_form(work);
	else
		fail_entry(work);
}

/* ---- portions ---- */

static void on_entries(struct db_query *query, const struct db_result *result)
{
	struct app_encryption *work = encryption_of(query);

	if (result->outcome != DB_OK || work->is_draining) {
		begin_pause(work, FAILED_MS);
		return;
	}
	work->row_at = 0;
	work->row_count = result->row_count;
	if (result->row_count == 0) {
		app_encryption_end(work);
		return;
	}
	work->rows = db_read_rows(result, query->record, &work->app_arena);
	loop_later(work->with.loop, &work->go_on);
}

static void take_portion(struct app_encryption *work, struct id after_device_id,
			 struct str after_id)
{
	db_query_init(&work->query, &work->arena);
	statement_encrypt_entries(&work->query,
				  &(struct encrypt_entries_parameters){
				      .lease = work->lease,
				      .lease_s = LEASE_S,
				      .app_id = work->app.app_id,
				      .version_id = work->app.version_id,
				      .after_device_id = after_device_id,
				      .after_id = after_id,
				      .row_limit = PORTION,
				  },
				  NULL);
	app_encryption_ask(work, on_entries);
}

static void take_next_portion(struct app_encryption *work)
{
	struct encrypt_entries_row last = work->rows[work->row_count - 1];

	last.id = arena_copy(&work->arena, last.id);
	/* The next step reads the form of its language again. */
	arena_finish(&work->app_arena);
	work->app_arena = (struct arena){0};
	work->locale = (struct str){0};
	take_portion(work, last.device_id, last.id);
}

/* Takes one installation in each turn of the loop: settings may be long. */
static void take_next(struct later *go_on)
{
	struct app_encryption *work = container_of(go_on, struct app_encryption, go_on);

	if (work->is_draining) {
		begin_pause(work, 0);
		return;
	}
	if (work->row_at == work->row_count) {
		take_next_portion(work);
		return;
	}
	work->entry = (struct entry){.row = &work->rows[work->row_at]};
	if (work->locale.data && str_equal(work->locale, work->entry.row->locale))
		take_form(work);
	else
		find_source(work, /* is_run= */ false, on_source);
}

/* ---- search for apps ---- */

static void on_leased(struct db_query *query, const struct db_result *result)
{
	struct app_encryption *work = encryption_of(query);

	if (result->outcome != DB_OK || result->row_count == 0 || work->is_draining) {
		begin_pause(work, result->outcome == DB_OK ? LOOK_MS : FAILED_MS);
		return;
	}
	db_read_row(result, 0, query->record, &work->arena, &work->app);
	work->has_failed = false;
	take_portion(work, (struct id){0}, STR(""));
}

static void look(struct deadline *deadline)
{
	struct app_encryption *work = container_of(deadline, struct app_encryption, next);

	if (!db_is_up(work->with.db)) {
		deadline_set(work->with.loop, deadline, START_MS);
		return;
	}
	work->is_busy = true;
	work->arena = work->app_arena = (struct arena){0};
	work->lease = id_new();
	db_query_init(&work->query, &work->arena);
	statement_encrypt_next(&work->query,
			       &(struct encrypt_next_parameters){
				   .lease = work->lease,
				   .languages = {work->languages, work->language_count},
				   .lease_s = LEASE_S,
			       },
			       NULL);
	app_encryption_ask(work, on_leased);
}

static void on_hint(struct hint_subscription *subscription, struct str text)
{
	struct app_encryption *work = container_of(subscription, struct app_encryption, hints);

	(void)text;
	if (work->is_busy)
		work->wants_look = true;
	else if (!work->is_draining)
		deadline_set(work->with.loop, &work->next, 0);
}

struct app_encryption *app_encryption_create(const struct app_encryption_settings *settings)
{
	struct app_encryption *work = memory_zalloc(sizeof(*work));

	work->with = *settings;
	deadline_init(&work->next, look);
	loop_later_init(&work->go_on, take_next);
	work->hints = (struct hint_subscription){.kind = STR("seal"), .on_hint = on_hint};
	work->language_count = engines_languages(settings->engines, work->languages);
	/* A build without engines cannot make forms. */
	work->is_draining = work->language_count == 0;
	if (!work->is_draining)
		deadline_set(settings->loop, &work->next, START_MS);
	db_subscribe(settings->db, &work->hints);
	return work;
}

void app_encryption_drain(struct app_encryption *work)
{
	work->is_draining = true;
	deadline_clear(work->with.loop, &work->next);
}

void app_encryption_destroy(struct app_encryption *work)
{
	db_unsubscribe(&work->hints);
	deadline_clear(work->with.loop, &work->next);
	loop_later_cancel(&work->go_on);
	arena_finish(&work->arena);
	arena_finish(&work->app_arena);
	free(work);
}

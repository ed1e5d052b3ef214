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

/* An installation that is being encrypted. */
struct entry {
	const struct encrypt_entries_row *row; /* in app_arena */
	struct form form; /* that of its language, and what is made of its settings */
	struct settings open, secret, all;
	unsigned own, seen, asked; /* fields of the form itself, those seen, handlers asked */
};

struct app_encryption {
	struct app_encryption_settings with;
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
	struct encrypt_next_row app;
	struct encrypt_entries_row *rows;
	unsigned row_count, row_at;
	struct str locale; /* of form; data is NULL: there is none yet */
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

static void ask_made(struct app_encryption *encryption);

static struct app_encryption *encryption_of(struct db_query *query)
{
	return container_of(query, struct app_encryption, query);
}

static void ask(struct app_encryption *encryption,
		void (*done)(struct db_query *query, const struct db_result *result))
{
	encryption->query.done = done;
	db_submit(encryption->with.db, &encryption->query);
}

static void begin_pause(struct app_encryption *encryption, uint64_t ms)
{
	engine_job_finish(&encryption->job);
	arena_finish(&encryption->arena);
	arena_finish(&encryption->app_arena);
	encryption->locale = (struct str){0};
	encryption->is_busy = false;
	if (encryption->wants_look)
		ms = 0;
	encryption->wants_look = false;
	if (!encryption->is_draining)
		deadline_set(encryption->with.loop, &encryption->next, ms);
}

static void on_end(struct db_query *query, const struct db_result *result)
{
	begin_pause(encryption_of(query), result->outcome == DB_OK ? 0 : FAILED_MS);
}

static void end(struct app_encryption *encryption)
{
	char id[ID_TEXT_LENGTH + 1];

	id_format(encryption->app.app_id, id);
	if (encryption->has_failed)
		log_info("web", "cannot tell which settings of an app are secret, trying later",
			 LOG_TEXT("app", id));
	db_query_init(&encryption->query, &encryption->arena);
	statement_encrypt_end(&encryption->query, &(struct encrypt_end_parameters){
						      .lease = encryption->lease,
						      .has_failed = encryption->has_failed});
	ask(encryption, on_end);
}

/* ---- an installation ---- */

static void entry_done(struct app_encryption *encryption)
{
	engine_job_finish(&encryption->job);
	encryption->job = (struct engine_job){0};
	arena_finish(&encryption->arena);
	encryption->arena = (struct arena){0};
	encryption->row_at++;
	loop_later(encryption->with.loop, &encryption->go_on);
}

static void fail_entry(struct app_encryption *encryption)
{
	encryption->has_failed = true;
	entry_done(encryption);
}

static void on_stored(struct db_query *query, const struct db_result *result)
{
	struct app_encryption *encryption = encryption_of(query);

	/* No row: its owner has saved other settings, which are encrypted. */
	if (result->outcome != DB_OK) {
		fail_entry(encryption);
		return;
	}
	if (result->row_count) {
		db_read_row(result, 0, query->record, &encryption->arena, &encryption->set);
		delivery_device_changed(encryption->with.delivery, encryption->entry.row->device_id,
					encryption->set.generation);
	}
	entry_done(encryption);
}

static void encrypt(struct app_encryption *encryption)
{
	struct entry *entry = &encryption->entry;
	const struct encrypt_entries_row *row = entry->row;
	struct stored_settings stored;

	if (!stored_settings_hide(&entry->form, &encryption->arena, &entry->open, &entry->secret)) {
		entry_done(encryption);
		return;
	}
	stored_settings_make(encryption->with.key, row->device_id, row->id, &entry->open,
			     &entry->secret, &encryption->arena, &stored);
	db_query_init(&encryption->query, &encryption->arena);
	statement_rotation_entry_update(&encryption->query,
					&(struct rotation_entry_update_parameters){
					    .device_id = row->device_id,
					    .id = row->id,
					    .settings = stored.open,
					    .secret_settings = stored.encrypted,
					    .settings_hash = stored.hash,
					    .seen_hash = row->settings_hash,
					    .version_id = encryption->app.version_id,
					},
					NULL);
	ask(encryption, on_stored);
}

/* ---- running the script ---- */

static void run(struct app_encryption *encryption, enum engine_what what,
		void (*done)(struct engine_job *job))
{
	const struct encrypt_entries_row *row = encryption->entry.row;
	const struct encrypt_form_row *source = &encryption->source;
	unsigned retry_after_s;

	engine_job_finish(&encryption->job);
	encryption->job = (struct engine_job){
	    .account = row->account_id,
	    .what = what,
	    .script = source->script,
	    .compiled = source->javascript,
	    .scope = source->checksum,
	    .config = what == ENGINE_SCHEMA
			  ? STR("{}")
			  : settings_to_text(&encryption->entry.all, &encryption->arena),
	    .now_ms = clock_wall_us() / 1000,
	    .locale = row->locale,
	    .seed = (uint64_t)clock_wall_us(),
	    .has_network = !encryption->app.is_disabled,
	    .handler = encryption->job.handler,
	    .parameter = encryption->job.parameter,
	    .done = done,
	};
	if (encryption->is_draining ||
	    !engine_language_read(source->language, &encryption->job.language) ||
	    engines_submit(encryption->with.engines, &encryption->job, &retry_after_s) < 0)
		fail_entry(encryption);
}

static void on_made(struct engine_job *job)
{
	struct app_encryption *encryption = container_of(job, struct app_encryption, job);
	struct str reason;
	struct form more;

	if (job->answer.problem.kind != ENGINE_DONE ||
	    !form_read(job->answer.result, &encryption->arena, &more, &reason)) {
		fail_entry(encryption);
		return;
	}
	form_add(&encryption->entry.form, &more, &encryption->arena);
	ask_made(encryption);
}

/* Asks the next GENERATED field which fields it makes of the installation's settings. */
static void ask_made(struct app_encryption *encryption)
{
	struct entry *entry = &encryption->entry;
	const struct form_field *field = form_next_maker(&entry->form, entry->own, &entry->seen);

	if (!field) {
		encrypt(encryption);
		return;
	}
	if (++entry->asked > FORM_MAKERS_MAX || !form_has_handler(field)) {
		fail_entry(encryption);
		return;
	}
	encryption->job.handler = field->handler;
	encryption->job.parameter = settings_of_source(&entry->all, &entry->form, field);
	run(encryption, ENGINE_HANDLER, on_made);
}

/* ---- the form ---- */

static bool read_source(struct app_encryption *encryption, const struct db_result *result)
{
	if (result->outcome != DB_OK || result->row_count == 0) {
		fail_entry(encryption);
		return false;
	}
	db_read_row(result, 0, encryption->query.record, &encryption->arena, &encryption->source);
	return true;
}

static void on_script(struct db_query *query, const struct db_result *result)
{
	struct app_encryption *encryption = encryption_of(query);

	if (read_source(encryption, result))
		ask_made(encryption);
}

static void find_source(struct app_encryption *encryption, bool is_run,
			void (*done)(struct db_query *query, const struct db_result *result))
{
	db_query_init(&encryption->query, &encryption->arena);
	statement_encrypt_form(&encryption->query,
			       &(struct encrypt_form_parameters){
				   .version_id = encryption->app.version_id,
				   .locale = encryption->entry.row->locale,
				   .engine = str_from(engines_version()),
				   .is_run = is_run,
			       },
			       NULL);
	ask(encryption, done);
}

/* The form of the installation's language is there. */
static void take_form(struct app_encryption *encryption)
{
	struct entry *entry = &encryption->entry;
	const struct encrypt_entries_row *row = entry->row;
	struct str json;

	entry->form = encryption->form;
	entry->own = entry->form.count;
	settings_parse(row->settings, &encryption->arena, &entry->open);
	if (row->secret_settings.length) {
		/* Sealed with another key, so it cannot be added to: the owner gets an error, and
		 * sets it again. */
		if (!settings_decrypt(encryption->with.key, row->device_id, row->id,
				      row->secret_settings, &encryption->arena, &json)) {
			fail_entry(encryption);
			return;
		}
		settings_parse(json, &encryption->arena, &entry->secret);
	}
	settings_merge(&entry->open, &entry->secret, &encryption->arena, &entry->all);
	if (form_makes_more(&entry->form) && settings_has_unknown(&entry->open, &entry->form))
		find_source(encryption, /* is_run= */ true, on_script);
	else
		encrypt(encryption);
}

static bool read_form(struct app_encryption *encryption, struct str schema)
{
	struct str reason;

	if (!form_read(schema.data ? schema : STR(""), &encryption->app_arena, &encryption->form,
		       &reason))
		return false;
	encryption->locale = encryption->entry.row->locale;
	return true;
}

static void on_kept(struct db_query *query, const struct db_result *result)
{
	(void)result;
	take_form(encryption_of(query));
}

static void on_schema(struct engine_job *job)
{
	struct app_encryption *encryption = container_of(job, struct app_encryption, job);
	struct str schema = job->answer.schema.data ? job->answer.schema : STR("");

	if (job->answer.problem.kind != ENGINE_DONE || !read_form(encryption, schema)) {
		fail_entry(encryption);
		return;
	}
	if (!encryption->source.javascript.length && job->answer.compiled.length)
		encryption->source.javascript =
		    arena_copy(&encryption->arena, job->answer.compiled);
	if (encryption->app.is_disabled) { /* without network: not what others would get */
		take_form(encryption);
		return;
	}
	db_query_init(&encryption->query, &encryption->arena);
	statement_app_schema_keep(&encryption->query,
				  &(struct app_schema_keep_parameters){
				      .version_id = encryption->app.version_id,
				      .locale = encryption->entry.row->locale,
				      .engine = str_from(engines_version()),
				      .schema = schema,
				      .hosts = job->answer.hosts.data ? job->answer.hosts : STR(""),
				  },
				  &encryption->kept);
	ask(encryption, on_kept);
}

static void on_source(struct db_query *query, const struct db_result *result)
{
	struct app_encryption *encryption = encryption_of(query);

	if (!read_source(encryption, result))
		return;
	if (!encryption->source.has_schema)
		run(encryption, ENGINE_SCHEMA, on_schema);
	else if (read_form(encryption, encryption->source.schema))
		take_form(encryption);
	else
		fail_entry(encryption);
}

/* ---- portions ---- */

static void on_entries(struct db_query *query, const struct db_result *result)
{
	struct app_encryption *encryption = encryption_of(query);

	if (result->outcome != DB_OK || encryption->is_draining) {
		begin_pause(encryption, FAILED_MS);
		return;
	}
	encryption->row_at = 0;
	encryption->row_count = result->row_count;
	if (result->row_count == 0) {
		end(encryption);
		return;
	}
	encryption->rows = db_read_rows(result, query->record, &encryption->app_arena);
	loop_later(encryption->with.loop, &encryption->go_on);
}

static void take_portion(struct app_encryption *encryption, struct id after_device_id,
			 struct str after_id)
{
	db_query_init(&encryption->query, &encryption->arena);
	statement_encrypt_entries(&encryption->query,
				  &(struct encrypt_entries_parameters){
				      .lease = encryption->lease,
				      .lease_s = LEASE_S,
				      .app_id = encryption->app.app_id,
				      .version_id = encryption->app.version_id,
				      .after_device_id = after_device_id,
				      .after_id = after_id,
				      .row_limit = PORTION,
				  },
				  NULL);
	ask(encryption, on_entries);
}

static void take_next_portion(struct app_encryption *encryption)
{
	struct encrypt_entries_row last = encryption->rows[encryption->row_count - 1];

	last.id = arena_copy(&encryption->arena, last.id);
	/* The next step reads the form of its language again. */
	arena_finish(&encryption->app_arena);
	encryption->app_arena = (struct arena){0};
	encryption->locale = (struct str){0};
	take_portion(encryption, last.device_id, last.id);
}

/* Takes one installation in each turn of the loop: settings may be long. */
static void take_next(struct later *go_on)
{
	struct app_encryption *encryption = container_of(go_on, struct app_encryption, go_on);

	if (encryption->is_draining) {
		begin_pause(encryption, 0);
		return;
	}
	if (encryption->row_at == encryption->row_count) {
		take_next_portion(encryption);
		return;
	}
	encryption->entry = (struct entry){.row = &encryption->rows[encryption->row_at]};
	if (encryption->locale.data && str_equal(encryption->locale, encryption->entry.row->locale))
		take_form(encryption);
	else
		find_source(encryption, /* is_run= */ false, on_source);
}

/* ---- looking for apps ---- */

static void on_leased(struct db_query *query, const struct db_result *result)
{
	struct app_encryption *encryption = encryption_of(query);

	if (result->outcome != DB_OK || result->row_count == 0 || encryption->is_draining) {
		begin_pause(encryption, result->outcome == DB_OK ? LOOK_MS : FAILED_MS);
		return;
	}
	db_read_row(result, 0, query->record, &encryption->arena, &encryption->app);
	encryption->has_failed = false;
	take_portion(encryption, (struct id){0}, STR(""));
}

static void look(struct deadline *deadline)
{
	struct app_encryption *encryption = container_of(deadline, struct app_encryption, next);

	if (!db_is_up(encryption->with.db)) {
		deadline_set(encryption->with.loop, deadline, START_MS);
		return;
	}
	encryption->is_busy = true;
	encryption->arena = encryption->app_arena = (struct arena){0};
	encryption->lease = id_new();
	db_query_init(&encryption->query, &encryption->arena);
	statement_encrypt_next(&encryption->query,
			       &(struct encrypt_next_parameters){
				   .lease = encryption->lease,
				   .languages = {encryption->languages, encryption->language_count},
				   .lease_s = LEASE_S,
			       },
			       NULL);
	ask(encryption, on_leased);
}

static void on_hint(struct hint_subscription *subscription, struct str text)
{
	struct app_encryption *encryption =
	    container_of(subscription, struct app_encryption, hints);

	(void)text;
	if (encryption->is_busy)
		encryption->wants_look = true;
	else if (!encryption->is_draining)
		deadline_set(encryption->with.loop, &encryption->next, 0);
}

struct app_encryption *app_encryption_create(const struct app_encryption_settings *settings)
{
	struct app_encryption *encryption = memory_zalloc(sizeof(*encryption));

	encryption->with = *settings;
	deadline_init(&encryption->next, look);
	loop_later_init(&encryption->go_on, take_next);
	encryption->hints = (struct hint_subscription){.kind = "seal", .on_hint = on_hint};
	encryption->language_count = engines_languages(settings->engines, encryption->languages);
	/* A build without engines cannot read forms. */
	encryption->is_draining = encryption->language_count == 0;
	if (!encryption->is_draining)
		deadline_set(settings->loop, &encryption->next, START_MS);
	db_subscribe(settings->db, &encryption->hints);
	return encryption;
}

void app_encryption_drain(struct app_encryption *encryption)
{
	encryption->is_draining = true;
	deadline_clear(encryption->with.loop, &encryption->next);
}

void app_encryption_destroy(struct app_encryption *encryption)
{
	db_unsubscribe(&encryption->hints);
	deadline_clear(encryption->with.loop, &encryption->next);
	loop_later_cancel(&encryption->go_on);
	arena_finish(&encryption->arena);
	arena_finish(&encryption->app_arena);
	free(encryption);
}

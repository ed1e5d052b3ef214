#include "app_pictures.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "db/statements.h"
#include "db/storage.h"

#include <stdlib.h>

enum {
	LOOK_MS = 60 * 1000,
	PORTION = 32, /* apps that are checked together, again for each picture that is made */
	BETWEEN_MS = 20,
	FAILED_MS = 10 * 1000,
	START_MS = 1000,
	LEASE_S = 60,
	PICTURE_BYTES_MAX = 60 * 1000, /* a page of the catalogue shows many */
	DURATION_MS = 15 * 1000,
	TRIES_MAX = 3,
	LISTS_US = 10 * 1000 * 1000, /* an import makes a thousand pictures in a row */
};

struct app_pictures {
	struct loop *loop;
	struct db *db;
	struct engines *engines;
	struct hint_subscription deploys;
	struct deadline next;
	struct arena arena; /* of the picture under way */
	struct db_query query;
	struct app_picture_next_row row;
	struct app_picture_keep_row kept;
	struct engine_job job;
	struct str languages[ENGINE_LANGUAGE_COUNT];
	unsigned language_count; /* languages of this build */
	struct id after_app; /* app after which the round continues; all zero: at its beginning */
	bool is_busy;
	bool wants_look; /* an app was deployed meanwhile: begin another round at once */
	bool is_draining;
	bool has_listed;       /* open pages were not notified of a new picture */
	int64_t told_lists_us; /* last notification of open pages */
};

static void begin_pause(struct app_pictures *pictures, uint64_t ms)
{
	engine_job_finish(&pictures->job);
	arena_finish(&pictures->arena);
	pictures->is_busy = false;
	if (!pictures->is_draining)
		deadline_set(pictures->loop, &pictures->next, ms);
}

static void app_pictures_ask(struct app_pictures *pictures,
			     void (*done)(struct db_query *query, const struct db_result *result))
{
	pictures->query.done = done;
	db_submit(pictures->db, &pictures->query);
}

/* ---- kept ---- */

static void tell(struct app_pictures *pictures, struct id account, struct str topic)
{
	char text[ID_TEXT_LENGTH + 1];

	id_format(account, text);
	db_hint(pictures->db,
		arena_printf(&pictures->arena, "changed:%s:%.*s", text, STR_ARG(topic)));
}

/* Each page that shows the catalogue reads all of it again. */
static void tell_lists(struct app_pictures *pictures)
{
	if (!pictures->has_listed)
		return;
	pictures->has_listed = false;
	pictures->told_lists_us = clock_monotonic_us();
	tell(pictures, (struct id){0}, STR("apps"));
}

/* Only the author is notified of a private app. */
static void tell_picture(struct app_pictures *pictures)
{
	const struct app_picture_next_row *row = &pictures->row;
	struct id account = row->is_private ? row->account_id : (struct id){0};

	tell(pictures, account, arena_printf(&pictures->arena, "app:%.*s", STR_ARG(row->slug)));
	if (row->is_private) {
		tell(pictures, account, STR("apps"));
		return;
	}
	pictures->has_listed = true;
	if (clock_monotonic_us() - pictures->told_lists_us >= LISTS_US)
		tell_lists(pictures);
}

static void on_kept(struct db_query *query, const struct db_result *result)
{
	struct app_pictures *pictures = container_of(query, struct app_pictures, query);
	bool is_kept = result->outcome == DB_OK;

	if (is_kept && pictures->job.answer.picture.length)
		tell_picture(pictures);
	begin_pause(pictures, is_kept ? 0 : FAILED_MS);
}

/* Whether the failure may come from a busy machine, or a lack of memory: then it is retried
 * forever, at growing intervals, and the lease stays. */
static bool is_to_be_tried_again(const struct app_pictures *pictures)
{
	enum engine_problem_kind kind = pictures->job.answer.problem.kind;

	return kind == ENGINE_NOT_AVAILABLE || kind == ENGINE_CANCELLED || kind == ENGINE_LATE ||
	       ((kind == ENGINE_LIMIT || kind == ENGINE_CRASH) && pictures->row.tries < TRIES_MAX);
}

/* A script that makes no picture now will make none with this engine later. */
static void on_rendered(struct engine_job *job)
{
	struct app_pictures *pictures = container_of(job, struct app_pictures, job);
	enum engine_problem_kind kind = job->answer.problem.kind;
	struct str picture = {0};

	if (is_to_be_tried_again(pictures)) {
		begin_pause(pictures, FAILED_MS);
		return;
	}
	if (kind == ENGINE_DONE)
		picture = job->answer.picture;
	else
		log_debug("web", "an app has no picture", LOG_STR("app", pictures->row.slug),
			  LOG_STR("reason", job->answer.problem.message));
	db_query_init(&pictures->query, &pictures->arena);
	statement_app_picture_keep(&pictures->query,
				   &(struct app_picture_keep_parameters){
				       .version_id = pictures->row.version_id,
				       .picture = picture.length ? picture : (struct str){0},
				   },
				   &pictures->kept);
	app_pictures_ask(pictures, on_kept);
}

/* ---- renders ---- */

static void render(struct app_pictures *pictures)
{
	const struct app_picture_next_row *row = &pictures->row;
	unsigned retry_after_s = 1;

	pictures->job = (struct engine_job){
	    .account = row->account_id,
	    .what = ENGINE_PICTURE,
	    .script = row->script,
	    .compiled = row->javascript,
	    .scope = row->checksum,
	    .now_ms = clock_wall_us() / 1000,
	    .seed = 1,
	    .max_duration_ms = DURATION_MS,
	    .max_bytes = PICTURE_BYTES_MAX,
	    .done = on_rendered,
	};
	if (!engine_language_read(row->language, &pictures->job.language) ||
	    engines_submit(pictures->engines, &pictures->job, &retry_after_s) < 0)
		begin_pause(pictures, retry_after_s * 1000);
}

/* Ends a portion in which no app lacks a picture. */
static void end_portion(struct app_pictures *pictures)
{
	bool is_last = id_is_none(pictures->after_app);
	bool goes_on = !is_last || pictures->wants_look;

	if (is_last) {
		tell_lists(pictures);
		pictures->wants_look = false;
	}
	begin_pause(pictures, goes_on ? BETWEEN_MS : LOOK_MS);
}

static void on_leased(struct db_query *query, const struct db_result *result)
{
	struct app_pictures *pictures = container_of(query, struct app_pictures, query);

	if (result->outcome != DB_OK || result->row_count == 0) {
		begin_pause(pictures, FAILED_MS);
		return;
	}
	db_read_row(result, 0, query->record, &pictures->arena, &pictures->row);
	pictures->after_app = pictures->row.next_id;
	if (pictures->is_draining)
		begin_pause(pictures, 0);
	else if (!id_is_none(pictures->row.version_id))
		render(pictures);
	else
		end_portion(pictures);
}

static void look(struct deadline *deadline)
{
	struct app_pictures *pictures = container_of(deadline, struct app_pictures, next);

	if (!db_is_up(pictures->db) || !storage_takes_pictures(db_storage(pictures->db))) {
		deadline_set(pictures->loop, deadline, START_MS);
		return;
	}
	pictures->is_busy = true;
	pictures->arena = (struct arena){0};
	db_query_init(&pictures->query, &pictures->arena);
	statement_app_picture_next(&pictures->query,
				   &(struct app_picture_next_parameters){
				       .after_id = pictures->after_app,
				       .row_limit = PORTION,
				       .engine = str_from(engines_version()),
				       .languages = {pictures->languages, pictures->language_count},
				       .lease_s = LEASE_S,
				   },
				   &pictures->row);
	app_pictures_ask(pictures, on_leased);
}

static void on_deploy(struct hint_subscription *subscription, struct str text)
{
	struct app_pictures *pictures = container_of(subscription, struct app_pictures, deploys);

	(void)text;
	/* During a round the app may have been passed already. */
	if (pictures->is_busy || !id_is_none(pictures->after_app))
		pictures->wants_look = true;
	if (!pictures->is_busy && !pictures->is_draining)
		deadline_set(pictures->loop, &pictures->next, 0);
}

struct app_pictures *app_pictures_create(struct loop *loop, struct db *db, struct engines *engines)
{
	struct app_pictures *pictures = memory_zalloc(sizeof(*pictures));

	pictures->loop = loop;
	pictures->db = db;
	pictures->engines = engines;
	deadline_init(&pictures->next, look);
	pictures->deploys = (struct hint_subscription){.kind = STR("app"), .on_hint = on_deploy};
	pictures->language_count = engines_languages(engines, pictures->languages);
	/* Without a language there is nothing to look for. */
	pictures->is_draining = pictures->language_count == 0;
	if (!pictures->is_draining)
		deadline_set(loop, &pictures->next, START_MS);
	db_subscribe(db, &pictures->deploys);
	return pictures;
}

void app_pictures_drain(struct app_pictures *pictures)
{
	pictures->is_draining = true;
	deadline_clear(pictures->loop, &pictures->next);
}

void app_pictures_destroy(struct app_pictures *pictures)
{
	db_unsubscribe(&pictures->deploys);
	deadline_clear(pictures->loop, &pictures->next);
	free(pictures);
}

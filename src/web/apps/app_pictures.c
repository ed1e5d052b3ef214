#include "app_pictures.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "catalogue_work.h"
#include "db/statements.h"

#include <stdlib.h>

enum {
	LOOK_MS = 60 * 1000,
	PORTION = 32, /* apps that are checked together, again for each picture that is made */
	BETWEEN_MS = 20,
	FAILED_MS = 10 * 1000,
	LEASE_S = 60,
	PICTURE_BYTES_MAX = 60 * 1000, /* a page of the catalogue shows many */
	DURATION_MS = 15 * 1000,
	TRIES_MAX = 3,
};

struct app_pictures {
	struct catalogue_work work;
	struct app_stills *stills;
	struct engines *engines;
	struct app_picture_next_row row;
	struct app_picture_keep_row kept;
	struct engine_job job;
	struct str languages[ENGINE_LANGUAGE_COUNT];
	unsigned language_count; /* languages of this build */
	struct id after_app; /* app after which the round continues; all zero: at its beginning */
};

static struct app_pictures *of_query(struct db_query *query)
{
	return container_of(query, struct app_pictures, work.query);
}

static void begin_pause(struct app_pictures *pictures, uint64_t ms)
{
	engine_job_finish(&pictures->job);
	catalogue_work_pause(&pictures->work, ms);
}

/* ---- kept ---- */

static void tell(struct app_pictures *pictures, struct id account, struct str topic)
{
	char text[ID_TEXT_LENGTH + 1];

	id_format(account, text);
	db_hint(pictures->work.db,
		arena_printf(&pictures->work.arena, "changed:%s:%.*s", text, STR_ARG(topic)));
}

/* Only the author is notified of a private app. */
static void tell_picture(struct app_pictures *pictures)
{
	const struct app_picture_next_row *row = &pictures->row;
	struct id account = row->is_private ? row->account_id : (struct id){0};

	tell(pictures, account,
	     arena_printf(&pictures->work.arena, "app:%.*s", STR_ARG(row->slug)));
	if (row->is_private) {
		tell(pictures, account, STR("apps"));
		return;
	}
	catalogue_work_listed(&pictures->work);
}

static void on_kept(struct db_query *query, const struct db_result *result)
{
	struct app_pictures *pictures = of_query(query);
	bool is_kept = result->outcome == DB_OK;

	if (is_kept && pictures->job.answer.picture.length) {
		tell_picture(pictures);
		app_stills_wake(pictures->stills);
	}
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
	catalogue_work_query(&pictures->work);
	statement_app_picture_keep(&pictures->work.query,
				   &(struct app_picture_keep_parameters){
				       .version_id = pictures->row.version_id,
				       .picture = picture.length ? picture : (struct str){0},
				   },
				   &pictures->kept);
	catalogue_work_ask(&pictures->work, on_kept);
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
	bool goes_on = !is_last || pictures->work.wants_look;

	if (is_last) {
		catalogue_work_tell(&pictures->work);
		pictures->work.wants_look = false;
	}
	begin_pause(pictures, goes_on ? BETWEEN_MS : LOOK_MS);
}

static void on_leased(struct db_query *query, const struct db_result *result)
{
	struct app_pictures *pictures = of_query(query);

	if (result->outcome != DB_OK || result->row_count == 0) {
		begin_pause(pictures, FAILED_MS);
		return;
	}
	db_read_row(result, 0, query->record, &pictures->work.arena, &pictures->row);
	pictures->after_app = pictures->row.next_id;
	pictures->work.is_amid = !id_is_none(pictures->after_app);
	if (pictures->work.is_draining)
		begin_pause(pictures, 0);
	else if (!id_is_none(pictures->row.version_id))
		render(pictures);
	else
		end_portion(pictures);
}

static void look(struct deadline *deadline)
{
	struct app_pictures *pictures = container_of(deadline, struct app_pictures, work.next);

	if (!catalogue_work_begin(&pictures->work))
		return;
	statement_app_picture_next(&pictures->work.query,
				   &(struct app_picture_next_parameters){
				       .after_id = pictures->after_app,
				       .row_limit = PORTION,
				       .engine = str_from(engines_version()),
				       .languages = {pictures->languages, pictures->language_count},
				       .lease_s = LEASE_S,
				   },
				   &pictures->row);
	catalogue_work_ask(&pictures->work, on_leased);
}

struct app_pictures *app_pictures_create(struct loop *loop, struct db *db, struct engines *engines,
					 struct app_stills *stills)
{
	struct app_pictures *pictures = memory_zalloc(sizeof(*pictures));

	pictures->engines = engines;
	pictures->stills = stills;
	pictures->language_count = engines_languages(engines, pictures->languages);
	catalogue_work_init(&pictures->work, loop, db, look);
	/* Without a language there is nothing to look for. */
	if (pictures->language_count == 0)
		catalogue_work_drain(&pictures->work);
	return pictures;
}

void app_pictures_drain(struct app_pictures *pictures)
{
	catalogue_work_drain(&pictures->work);
}

void app_pictures_destroy(struct app_pictures *pictures)
{
	catalogue_work_finish(&pictures->work);
	free(pictures);
}

#include "own_pictures.h"
#include "base/log.h"
#include "base/memory.h"
#include "catalogue_work.h"
#include "db/statements.h"
#include "domain/display.h"
#include "loop/lanes.h"

#include <panelimage/panelimage.h>
#include <stdlib.h>

enum {
	LOOK_MS = 60 * 1000,
	FAILED_MS = 10 * 1000,
	AGAIN_MS = 1000,
	LEASE_S = 60,
	PICTURE_BYTES_MAX = 60 * 1000, /* a page of the catalogue shows many */
};

struct own_pictures {
	struct catalogue_work work;
	struct app_stills *stills;
	struct own_picture_next_row row;
	struct own_picture_keep_row kept;
	struct own_picture_return_row returned;
	struct lane_job job;
	struct panelimage_conversion *conversion;
	struct panelimage_result result;
	struct panelimage_error error;
	bool has_failed;
};

static struct own_pictures *of_query(struct db_query *query)
{
	return container_of(query, struct own_pictures, work.query);
}

static void begin_pause(struct own_pictures *pictures, uint64_t ms)
{
	panelimage_conversion_free(pictures->conversion);
	panelimage_result_finish(&pictures->result);
	pictures->conversion = NULL;
	catalogue_work_pause(&pictures->work, ms);
}

/* ---- returned ---- */

static void on_returned(struct db_query *query, const struct db_result *result)
{
	(void)result;
	begin_pause(of_query(query), FAILED_MS);
}

/* Gives back a lease whose picture was not decoded: other workers may, or this one later. */
static void give_back(struct own_pictures *pictures)
{
	catalogue_work_query(&pictures->work);
	statement_own_picture_return(&pictures->work.query,
				     &(struct own_picture_return_parameters){
					 .app_id = pictures->row.app_id,
					 .source_hash = pictures->row.source_hash,
					 .wait_s = FAILED_MS / 1000,
				     },
				     &pictures->returned);
	catalogue_work_ask(&pictures->work, on_returned);
}

/* ---- kept ---- */

static void on_kept(struct db_query *query, const struct db_result *result)
{
	struct own_pictures *pictures = of_query(query);
	bool is_kept = result->outcome == DB_OK;

	if (is_kept && !pictures->has_failed) {
		catalogue_work_listed(&pictures->work);
		app_stills_wake(pictures->stills);
	}
	begin_pause(pictures, is_kept ? 0 : FAILED_MS);
}

static void keep(struct own_pictures *pictures)
{
	const struct own_picture_next_row *row = &pictures->row;
	struct str picture = {(const char *)pictures->result.data, pictures->result.size};
	struct str problem = arena_copy(&pictures->work.arena, str_from(pictures->error.text));

	if (pictures->has_failed)
		log_debug("web", "the picture that an app was imported with was not taken",
			  LOG_STR("app", row->slug), LOG_STR("reason", problem));
	catalogue_work_query(&pictures->work);
	statement_own_picture_keep(&pictures->work.query,
				   &(struct own_picture_keep_parameters){
				       .app_id = row->app_id,
				       .source_hash = row->source_hash,
				       .picture = pictures->has_failed ? (struct str){0} : picture,
				       .problem = pictures->has_failed ? problem : (struct str){0},
				   },
				   &pictures->kept);
	catalogue_work_ask(&pictures->work, on_kept);
}

/* ---- conversion, on a worker thread ---- */

static void fail_size(struct own_pictures *pictures)
{
	snprintf(pictures->error.text, sizeof(pictures->error.text),
		 "the picture has %zu bytes, maximum %d", pictures->result.size, PICTURE_BYTES_MAX);
	pictures->has_failed = true;
}

static void own_pictures_end(struct own_pictures *pictures)
{
	struct panelimage_result *result = &pictures->result;

	result->size = panelimage_cut_webp(result->data, result->size, PICTURE_BYTES_MAX);
	if (result->size > PICTURE_BYTES_MAX)
		fail_size(pictures);
}

static bool step(struct lane_job *job)
{
	struct own_pictures *pictures = container_of(job, struct own_pictures, job);
	struct str source = pictures->row.source;

	if (!pictures->conversion) {
		pictures->conversion = panelimage_conversion_new_magnified(
		    (const uint8_t *)source.data, source.length,
		    (struct panelimage_size){DISPLAY_WIDTH, DISPLAY_HEIGHT}, &pictures->error);
		if (pictures->conversion)
			panelimage_conversion_limit(pictures->conversion, PICTURE_BYTES_MAX);
	}
	switch (pictures->conversion
		    ? panelimage_conversion_step(pictures->conversion, &pictures->result,
						 &pictures->error)
		    : PANELIMAGE_FAILED) {
	case PANELIMAGE_MORE:
		return true;
	case PANELIMAGE_FAILED:
		pictures->has_failed = true;
		break;
	case PANELIMAGE_DONE:
		own_pictures_end(pictures);
		break;
	}
	return false;
}

static void on_converted(struct lane_job *job)
{
	struct own_pictures *pictures = container_of(job, struct own_pictures, job);

	if (job->is_dropped || (pictures->has_failed && pictures->error.out_of_memory))
		give_back(pictures);
	else
		keep(pictures);
}

static void convert(struct own_pictures *pictures)
{
	struct str source = pictures->row.source;
	unsigned retry_after_s = 1;
	enum lane lane = panelimage_is_animation((const uint8_t *)source.data, source.length)
			     ? LANE_LONG
			     : LANE_SHORT;

	pictures->has_failed = false;
	pictures->error = (struct panelimage_error){0};
	pictures->job = (struct lane_job){
	    .account = pictures->row.account_id,
	    .size = source.length,
	    .run = step,
	    .done = on_converted,
	};
	if (lanes_submit(pictures->work.loop, lane, &pictures->job, &retry_after_s) < 0)
		give_back(pictures);
}

static void on_leased(struct db_query *query, const struct db_result *result)
{
	struct own_pictures *pictures = of_query(query);
	bool goes_on = pictures->work.wants_look;

	if (result->outcome != DB_OK) {
		begin_pause(pictures, FAILED_MS);
		return;
	}
	if (result->row_count == 0) {
		catalogue_work_tell(&pictures->work);
		pictures->work.wants_look = false;
		begin_pause(pictures, goes_on ? AGAIN_MS : LOOK_MS);
		return;
	}
	db_read_row(result, 0, query->record, &pictures->work.arena, &pictures->row);
	if (pictures->work.is_draining)
		give_back(pictures);
	else
		convert(pictures);
}

static void look(struct deadline *deadline)
{
	struct own_pictures *pictures = container_of(deadline, struct own_pictures, work.next);

	if (!catalogue_work_begin(&pictures->work))
		return;
	statement_own_picture_next(&pictures->work.query,
				   &(struct own_picture_next_parameters){.lease_s = LEASE_S},
				   &pictures->row);
	catalogue_work_ask(&pictures->work, on_leased);
}

struct own_pictures *own_pictures_create(struct loop *loop, struct db *db,
					 struct app_stills *stills)
{
	struct own_pictures *pictures = memory_zalloc(sizeof(*pictures));

	pictures->stills = stills;
	catalogue_work_init(&pictures->work, loop, db, look);
	return pictures;
}

void own_pictures_drain(struct own_pictures *pictures)
{
	catalogue_work_drain(&pictures->work);
}

void own_pictures_destroy(struct own_pictures *pictures)
{
	catalogue_work_finish(&pictures->work);
	free(pictures);
}

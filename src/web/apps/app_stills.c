#include "app_stills.h"
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
	AGAIN_MS = 1000,
	FAILED_MS = 10 * 1000,
	LEASE_S = 60,
};

struct app_stills {
	struct catalogue_work work;
	struct app_still_next_row row;
	struct app_still_keep_row kept;
	struct lane_job job;
	struct panelimage_result result;
	struct panelimage_error error;
	bool has_failed;
};

static struct app_stills *of_query(struct db_query *query)
{
	return container_of(query, struct app_stills, work.query);
}

static void begin_pause(struct app_stills *stills, uint64_t ms)
{
	panelimage_result_finish(&stills->result);
	catalogue_work_pause(&stills->work, ms);
}

static void on_kept(struct db_query *query, const struct db_result *result)
{
	struct app_stills *stills = of_query(query);

	if (result->outcome == DB_OK)
		catalogue_work_listed(&stills->work);
	begin_pause(stills, result->outcome == DB_OK ? 0 : FAILED_MS);
}

/* ---- on a worker thread ---- */

static bool make(struct lane_job *job)
{
	struct app_stills *stills = container_of(job, struct app_stills, job);
	struct str picture = stills->row.picture;

	stills->has_failed =
	    panelimage_still((const uint8_t *)picture.data, picture.length,
			     (struct panelimage_size){DISPLAY_WIDTH, DISPLAY_HEIGHT},
			     APP_STILL_MAX_BYTES, &stills->result, &stills->error) < 0;
	return false;
}

static void on_made(struct lane_job *job)
{
	struct app_stills *stills = container_of(job, struct app_stills, job);
	const struct app_still_next_row *row = &stills->row;
	struct str still = {(const char *)stills->result.data, stills->result.size};

	if (job->is_dropped || (stills->has_failed && stills->error.out_of_memory)) {
		begin_pause(stills, FAILED_MS); /* the lease ends, and another worker tries */
		return;
	}
	if (stills->has_failed)
		log_warn("web", "no still of an app's picture could be made",
			 LOG_TEXT("reason", stills->error.text));
	catalogue_work_query(&stills->work);
	statement_app_still_keep(&stills->work.query,
				 &(struct app_still_keep_parameters){
				     .version_id = row->version_id,
				     .app_id = row->app_id,
				     .hash = row->hash,
				     .still = stills->has_failed ? STR("") : still,
				 },
				 &stills->kept);
	catalogue_work_ask(&stills->work, on_kept);
}

/* ---- the next one ---- */

static void on_leased(struct db_query *query, const struct db_result *result)
{
	struct app_stills *stills = of_query(query);
	bool goes_on = stills->work.wants_look;
	unsigned retry_after_s = 1;

	if (result->outcome != DB_OK) {
		begin_pause(stills, FAILED_MS);
		return;
	}
	if (result->row_count == 0) {
		catalogue_work_tell(&stills->work);
		stills->work.wants_look = false;
		begin_pause(stills, goes_on ? AGAIN_MS : LOOK_MS);
		return;
	}
	db_read_row(result, 0, query->record, &stills->work.arena, &stills->row);
	stills->error = (struct panelimage_error){0};
	stills->job = (struct lane_job){
	    .account = stills->row.account_id,
	    .size = stills->row.picture.length,
	    .run = make,
	    .done = on_made,
	};
	if (stills->work.is_draining ||
	    lanes_submit(stills->work.loop, LANE_LONG, &stills->job, &retry_after_s) < 0)
		begin_pause(stills, retry_after_s * 1000);
}

static void look(struct deadline *deadline)
{
	struct app_stills *stills = container_of(deadline, struct app_stills, work.next);

	if (!catalogue_work_begin(&stills->work))
		return;
	statement_app_still_next(&stills->work.query,
				 &(struct app_still_next_parameters){.lease_s = LEASE_S},
				 &stills->row);
	catalogue_work_ask(&stills->work, on_leased);
}

struct app_stills *app_stills_create(struct loop *loop, struct db *db)
{
	struct app_stills *stills = memory_zalloc(sizeof(*stills));

	catalogue_work_init(&stills->work, loop, db, look);
	return stills;
}

void app_stills_wake(struct app_stills *stills)
{
	catalogue_work_wake(&stills->work);
}

void app_stills_drain(struct app_stills *stills)
{
	catalogue_work_drain(&stills->work);
}

void app_stills_destroy(struct app_stills *stills)
{
	catalogue_work_finish(&stills->work);
	free(stills);
}

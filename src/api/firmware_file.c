#include "firmware_file.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/memory.h"
#include "db/db.h"
#include "delivery/delivery.h"
#include "domain/device_reference.h"
#include "domain/firmware_token.h"
#include "endpoints.h"
#include "http/range.h"
#include "http/stream.h"
#include "task/failed_attempts.h"

#include <stdlib.h>

/* GET /d/{deviceId}/firmware/{token} - an image of firmware for a panel, whole or a part of it.
 *
 *   firmware_look -> HEAD, or 416
 *                 -> the first bytes: firmware_fetched, once
 *                 -> a short part: firmware_part -> one answer
 *                 -> a long one: a stream of parts, each read after the panel took the last
 *
 * Firmware asks HEAD, then parts of 64 KiB. A part that is being read has its own lifetime: it may
 * arrive after the task has ended. */

enum { PART_BYTES = 64 * 1024 };

struct file {
	struct id image_id;
	struct firmware_look_row row;
	struct http_range range;
	struct firmware_part_row part;
	struct firmware_fetched_row fetched;
	struct reading *reading;    /* NULL: no stream */
	struct memory_share *share; /* of the account; NULL: not a stream */
};

/* ---- access ---- */

struct token_access {
	struct id device_id;
	struct id image_id;
};

/* Answers as to an unknown path: a panel then keeps its firmware. */
static struct step_result firmware_file_refuse(struct task *task)
{
	task_add_field(task, STR("Cache-Control"), STR("no-store"));
	return task_fail(task, PROBLEM_FIRMWARE_NOT_FOUND,
			 "the link to this image is wrong or has ended");
}

static struct step_result firmware_file_check(struct task *task)
{
	static const struct rate_policy policy = {
	    .metric = METRIC_LIMIT_VISITOR,
	    .name = "firmware",
	    .of_what = "for this device",
	    .per_second = LIMIT_FIRMWARE_PARTS_PER_S,
	    .burst = LIMIT_FIRMWARE_PARTS_BURST,
	};
	struct token_access *access = task_access_state(task);
	struct http_request *request = task_request(task);
	const struct settings_key *key = api_service(task)->settings_key;
	int64_t now_s = clock_common_us() / 1000000;

	request->log_hides_path = true;
	if (!key || !id_parse(task_path_parameter(task, 0), &access->device_id) ||
	    !failed_attempts_allow(task_service(task), request->remote_address).is_allowed)
		return firmware_file_refuse(task);
	switch (firmware_token_read(key, access->device_id, task_path_parameter(task, 1), now_s,
				    &access->image_id)) {
	case FIRMWARE_TOKEN_WRONG:
		failed_attempts_count(task_service(task), request->remote_address);
		return firmware_file_refuse(task);
	case FIRMWARE_TOKEN_ENDED:
		return firmware_file_refuse(task);
	default:
		return task_admit_visitor(task, &policy, access->device_id);
	}
}

const struct access access_firmware_token = {
    .metric = METRIC_ACCESS_DEVICE_KEY,
    .check = firmware_file_check,
    .refuse = firmware_file_refuse,
    .state_size = sizeof(struct token_access),
};

/* ---- a long part ---- */

struct reading {
	struct task *task; /* NULL once it has ended */
	struct http_stream *stream;
	struct arena arena; /* of the query */
	struct db_query query;
	struct db *db;
	struct id image_id;
	size_t at, end; /* bytes of the image that are still to be read */
	bool is_under_way;
};

static void free_reading(struct reading *reading)
{
	arena_finish(&reading->arena);
	free(reading);
}

static void on_part(struct db_query *query, const struct db_result *result)
{
	struct reading *reading = container_of(query, struct reading, query);
	struct firmware_part_row row;

	reading->is_under_way = false;
	if (!reading->task) {
		free_reading(reading);
		return;
	}
	if (result->outcome != DB_OK || result->row_count == 0) {
		task_end_stream(reading->task, reading->stream, false); /* frees the reading */
		return;
	}
	db_read_row(result, 0, query->record, &reading->arena, &row);
	if (row.content.length == 0) {
		task_end_stream(reading->task, reading->stream, false);
		return;
	}
	reading->at += row.content.length;
	http_stream_write(reading->stream, row.content);
	arena_finish(&reading->arena);
}

static void read_part(struct reading *reading)
{
	size_t length = reading->end - reading->at;

	reading->is_under_way = true;
	db_query_init(&reading->query, &reading->arena);
	statement_firmware_part(&reading->query,
				&(struct firmware_part_parameters){
				    .image_id = reading->image_id,
				    .start = (int32_t)reading->at,
				    .length = length < PART_BYTES ? (int32_t)length : PART_BYTES,
				},
				NULL);
	reading->query.done = on_part;
	db_submit(reading->db, &reading->query);
}

static bool write_more(struct task *task, struct http_stream *stream)
{
	struct reading *reading = ((struct file *)task_state(task))->reading;

	reading->stream = stream;
	if (reading->at == reading->end)
		return false;
	if (!reading->is_under_way)
		read_part(reading);
	return true;
}

static void firmware_file_finish(void *state)
{
	struct file *file = state;

	if (file->share)
		memory_budget_leave(file->share, 1);
	if (!file->reading)
		return;
	file->reading->task = NULL;
	if (!file->reading->is_under_way)
		free_reading(file->reading);
}

static struct step_result begin_stream(struct task *task, int status)
{
	struct file *file = task_state(task);
	struct id account = file->row.account_id;
	struct memory_share *share =
	    memory_budget_join(&api_service(task)->firmware_streams,
			       (struct str){(const char *)account.bytes, sizeof(account.bytes)});

	if (!memory_budget_take(share, 1, LIMIT_FIRMWARE_STREAMS)) {
		memory_budget_leave(share, 0);
		return task_fail_busy(task, PROBLEM_STREAMS_TOO_MANY, 5,
				      "too many panels fetch firmware now, try again");
	}
	file->share = share;
	file->reading = memory_zalloc(sizeof(*file->reading));
	*file->reading = (struct reading){.task = task,
					  .db = task_service(task)->db,
					  .image_id = file->image_id,
					  .at = file->range.start,
					  .end = file->range.start + file->range.length};
	return task_reply_stream(task, status, STR("application/octet-stream"), write_more);
}

/* ---- answers ---- */

static struct step_result part_found(struct task *task)
{
	const struct file *file = task_state(task);

	if (task_row_count(task) == 0 || file->part.content.length != file->range.length)
		return firmware_file_refuse(task);
	return task_reply(task, file->range.kind == HTTP_RANGE_PART ? 206 : 200,
			  STR("application/octet-stream"), file->part.content);
}

static struct step_result send_range(struct task *task)
{
	struct file *file = task_state(task);
	int status = file->range.kind == HTTP_RANGE_PART ? 206 : 200;

	if (file->range.length > PART_BYTES)
		return begin_stream(task, status);
	statement_firmware_part(task_new_query(task),
				&(struct firmware_part_parameters){
				    .image_id = file->image_id,
				    .start = (int32_t)file->range.start,
				    .length = (int32_t)file->range.length,
				},
				&file->part);
	return task_query(task, part_found);
}

/* Notes the beginning of the update, which the page of the device shows. */
static struct step_result noted(struct task *task)
{
	const struct token_access *access = task_access_state(task);
	const struct file *file = task_state(task);

	if (task_row_count(task))
		delivery_device_changed(api_delivery(task), access->device_id,
					file->fetched.generation);
	return send_range(task);
}

static struct step_result note(struct task *task)
{
	const struct token_access *access = task_access_state(task);
	struct file *file = task_state(task);

	statement_firmware_fetched(task_new_query(task),
				   &(struct firmware_fetched_parameters){
				       .device_id = access->device_id,
				       .image_id = access->image_id,
				   },
				   &file->fetched);
	return task_query(task, noted);
}

static struct step_result looked(struct task *task)
{
	struct file *file = task_state(task);
	struct arena *arena = task_arena(task);
	size_t size;
	struct str tag;

	if (task_row_count(task) == 0)
		return firmware_file_refuse(task);
	size = (size_t)file->row.size_bytes;
	tag = ARENA_JOIN(arena, STR("\""), file->row.sha256, STR("\""));
	file->range = http_range_read(task_request(task), size, tag);
	task_add_field(task, STR("Accept-Ranges"), STR("bytes"));
	task_add_field(task, STR("Cache-Control"), STR("no-store"));
	if (file->range.kind != HTTP_RANGE_NONE)
		task_add_field(task, STR("Content-Range"),
			       http_content_range(arena, file->range, size));
	if (file->range.kind == HTTP_RANGE_MISSED)
		return task_reply(task, 416, STR(""), STR(""));
	task_add_field(task, STR("ETag"), tag);
	/* HEAD has no body, but the length of one. */
	if (task_request(task)->method == HTTP_HEAD)
		return task_reply(task, 200, STR("application/octet-stream"),
				  (struct str){"", size});
	return file->row.is_awaited && file->range.start == 0 ? note(task) : send_range(task);
}

static struct step_result firmware_file_begin(struct task *task)
{
	const struct token_access *access = task_access_state(task);
	struct file *file = task_state(task);

	file->image_id = access->image_id;
	statement_firmware_look(task_new_query(task),
				&(struct firmware_look_parameters){
				    .device_id = access->device_id,
				    .image_id = access->image_id,
				},
				&file->row);
	return task_query(task, looked);
}

const struct endpoint endpoint_firmware_file = {
    .name = "firmware_file",
    .handler = firmware_file_begin,
    .access = &access_firmware_token,
    .state_size = sizeof(struct file),
    .finish = firmware_file_finish,
};

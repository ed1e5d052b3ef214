/* Long lists: the rows come one by one and become JSON at once.
 *
 *   all of a list    on_row() writes a portion --pause--> stream --has room--> resume, on_row() ...
 *   a part           on_row() ... until it is full, or done: one answer, whose Link comes first
 *
 * The reading has its own lifetime: rows may arrive after the task has ended. */
#include "base/limits.h"
#include "gzip.h"
#include "http/stream.h"
#include "task_private.h"

#include <stdlib.h>

enum {
	PORTION_BYTES = 32 * 1024,	  /* takes about 0.2 ms to make */
	PORTION_PACKED_BYTES = 16 * 1024, /* takes about 0.2 ms to make, and up to 0.4 ms to
					     compress */
	PIECE_BYTES = 64 * 1024,
};

struct list_reading {
	struct db_list_query list_query;
	struct arena arena; /* of the statement's parameters */
	struct arena row_arena;
	void *row;
	struct task *task;	    /* NULL once it has ended: further rows are dropped */
	struct http_stream *stream; /* NULL until the stream has begun */
	struct buffer json;	    /* not yet written, or not yet compressed */
	struct gzip *gzip;	    /* NULL: not compressed */
	struct buffer packed;	    /* not yet written */
	uint64_t count;		    /* number of elements */
	bool is_part;
	bool is_streaming; /* the head was sent, or is being sent */
	bool has_room; /* the stream took everything; more is written as soon as there is some */
	bool is_done;
	bool has_failed; /* failed before there was a stream to abort */
};

static struct list_reading *reading_of(struct db_list_query *list_query)
{
	return container_of(list_query, struct list_reading, list_query);
}

static void free_reading(struct list_reading *reading)
{
	arena_finish(&reading->arena);
	arena_finish(&reading->row_arena);
	buffer_finish(&reading->json);
	buffer_finish(&reading->packed);
	gzip_free(reading->gzip);
	free(reading->row);
	free(reading);
}

/* Leaves the reading when the task ends, with the whole answer or without it. */
static void leave(struct task *task)
{
	struct list_reading *reading = task->reading;

	task->reading = NULL;
	if (reading->is_done) {
		free_reading(reading);
		return;
	}
	reading->task = NULL;
	reading->stream = NULL;
	db_list_query_resume(&reading->list_query);
}

/* Output that waits for the stream. */
static struct buffer *output_of(struct list_reading *reading)
{
	return reading->gzip ? &reading->packed : &reading->json;
}

/* Writes as much output as the stream takes. */
static void write_json(struct list_reading *reading)
{
	struct buffer *output = output_of(reading);

	while (buffer_length(output) > 0 && !http_stream_is_full(reading->stream)) {
		struct str piece = buffer_view(output);

		if (piece.length > PIECE_BYTES)
			piece.length = PIECE_BYTES;
		http_stream_write(reading->stream, piece);
		buffer_consume(output, piece.length);
	}
}

/* Compresses a portion, or the last one. */
static void pack(struct list_reading *reading)
{
	if (!reading->gzip)
		return;
	gzip_write(reading->gzip, buffer_view(&reading->json), reading->is_done, &reading->packed);
	buffer_clear(&reading->json);
}

static bool write_more(struct task *task, struct http_stream *stream)
{
	struct list_reading *reading = task->reading;

	if (reading->has_failed) {
		task_end_stream(task, stream, false);
		return true;
	}
	reading->stream = stream;
	reading->has_room = buffer_length(output_of(reading)) == 0;
	write_json(reading);
	if (buffer_length(output_of(reading)) > 0)
		return true;
	if (!reading->is_done)
		db_list_query_resume(&reading->list_query);
	return !reading->is_done;
}

static void begin_gzip(struct task *task)
{
	task_add_field(task, STR("Content-Encoding"), STR("gzip"));
	task->reading->gzip = gzip_new();
	pack(task->reading);
}

static struct step_result begin_stream(struct task *task)
{
	task->reading->is_streaming = true;
	task_let_caches_ask(task);
	if (task->is_packed)
		begin_gzip(task);
	return task_reply_stream(task, 200,
				 task->list->write_line ? STR("application/x-ndjson")
							: STR("application/json"),
				 write_more);
}

/* Offers a portion, or the last one. The task may be gone afterwards. */
static void offer(struct list_reading *reading)
{
	if (!reading->is_streaming) {
		task_run(reading->task, begin_stream);
		return;
	}
	pack(reading);
	if (!reading->has_room)
		return;
	reading->has_room = false;
	write_json(reading);
}

static struct step_result reply_part(struct task *task)
{
	struct buffer *buffer = &task->reading->json;
	struct str json = arena_copy(task_arena(task), buffer_view(buffer));

	if (task_part_is_not_modified(task, buffer))
		return task_reply(task, 304, (struct str){0}, (struct str){0});
	return task_reply_rows(task, json);
}

/* Ends a part. The task, and the reading with it, may be gone afterwards. */
static void end_part(struct list_reading *reading)
{
	task_end_list(reading->task->list, &reading->json);
	task_run(reading->task, reply_part);
}

/* Whether this element exceeds the number or bytes of a part, so that there is another part. */
static bool is_behind_part(const struct list_reading *reading)
{
	return reading->is_part && (reading->count == (uint64_t)reading->task->range.limit ||
				    buffer_length(&reading->json) >= LIMIT_LIST_PART_BYTES);
}

static bool is_portion(const struct list_reading *reading)
{
	size_t bytes = reading->task->list->is_compressed ? PORTION_PACKED_BYTES : PORTION_BYTES;

	return !reading->is_part && buffer_length(&reading->json) >= bytes;
}

static void write_row(struct list_reading *reading)
{
	const struct task_list *list = reading->task->list;

	if (list->write_line) {
		list->write_line(reading->task, reading->row, &reading->json);
		return;
	}
	if (reading->count == 1)
		task_begin_list(list, &reading->json);
	else
		buffer_append_char(&reading->json, ',');
	record_write_json(list->record, reading->row, &reading->json);
}

static void write_end(struct list_reading *reading)
{
	const struct task_list *list = reading->task->list;

	if (list->write_line) {
		list->write_end(reading->task, &reading->json);
		return;
	}
	if (reading->count == 0)
		task_begin_list(list, &reading->json);
	task_end_list(list, &reading->json);
}

static void on_row(struct db_list_query *list_query, const struct db_result *row)
{
	struct list_reading *reading = reading_of(list_query);
	struct task *task = reading->task;
	const struct record *record = list_query->query.record;

	if (!task)
		return;
	reading->count++;
	if (is_behind_part(reading)) {
		task_add_next_part(task, record, reading->row);
		end_part(reading);
		return;
	}
	arena_finish(&reading->row_arena);
	memset(reading->row, 0, record->size);
	db_read_row(row, 0, record, &reading->row_arena, reading->row);
	if (task->list->complete)
		task->list->complete(task, reading->row);
	write_row(reading);
	if (!is_portion(reading))
		return;
	db_list_query_pause(list_query);
	offer(reading);
}

static bool is_wanted(const struct db_query *query)
{
	const struct list_reading *reading =
	    container_of(query, struct list_reading, list_query.query);

	return reading->task && !http_request_is_abandoned(reading->task->request);
}

static void on_done(struct db_query *query, const struct db_result *result)
{
	struct db_list_query *list_query = container_of(query, struct db_list_query, query);
	struct list_reading *reading = reading_of(list_query);
	struct task *task = reading->task;

	reading->is_done = true;
	if (!task) {
		free_reading(reading);
		return;
	}
	if (result->outcome != DB_OK) {
		task_keep_failure(task, result);
		if (!reading->is_streaming)
			task_run(task, task_fail_db);
		else if (reading->stream)
			task_end_stream(task, reading->stream, false);
		else
			reading->has_failed = true;
		return;
	}
	if (reading->is_part) {
		if (reading->count == 0)
			task_begin_list(task->list, &reading->json);
		end_part(reading);
		return;
	}
	write_end(reading);
	offer(reading);
}

struct step_result task_read_long_list(struct task *task)
{
	struct list_reading *reading = memory_zalloc(sizeof(*reading));
	struct list_range range = task->range;
	struct db_query *query = &reading->list_query.query;

	reading->task = task;
	reading->is_part = range.limit > 0;
	if (!reading->is_part)
		range.limit = INT64_MAX;
	range.after.text = arena_copy(&reading->arena, range.after.text);
	db_query_init(query, &reading->arena);
	task->list->ask(task, query, &range);
	reading->row = memory_zalloc(query->record->size);
	reading->list_query.on_row = on_row;
	query->is_wanted = is_wanted;
	query->done = on_done;
	query->account_id = task->account_id;
	if (!db_list(task->service->db, &reading->list_query)) {
		free_reading(reading);
		return task_fail_busy(task, PROBLEM_SERVER_BUSY, 1,
				      "too many long lists of this account are waiting, try again");
	}
	task->reading = reading;
	task->leave_list = leave;
	return task_wait(task, NULL);
}

struct step_result task_reply_lines(struct task *task, const struct task_list *list)
{
	task->list = list;
	task->range = (struct list_range){0};
	return task_read_long_list(task);
}

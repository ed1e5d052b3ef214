/* Answers with an entity tag, made from records. Large ones would block the loop, so worker threads
 * write them. */
#include "base/limits.h"
#include "task_private.h"

static const struct str json_type = {"application/json", 16};

struct step_result task_reply_json(struct task *task, int status, const struct buffer *json)
{
	bool is_known = status == 200 && task_is_not_modified(task, buffer_view(json));

	if (status == 200)
		task_keep(task, buffer_view(json));
	if (is_known)
		return task_reply(task, 304, (struct str){0}, (struct str){0});
	return task_reply(task, status, json_type, arena_copy(task_arena(task), buffer_view(json)));
}

struct step_result task_reply_tagged(struct task *task, struct str content_type, struct str body)
{
	if (task_is_not_modified(task, body))
		return task_reply(task, 304, (struct str){0}, (struct str){0});
	return task_reply(task, 200, content_type, body);
}

static bool write_answer(void *argument)
{
	struct task *task = argument;
	struct buffer json = {0};

	task->write(task->write_argument, &task->lane_arena, &json);
	task->written = arena_copy(&task->lane_arena, buffer_view(&json));
	buffer_finish(&json);
	task_hash(task->written, task->written_hash);
	return false;
}

static struct step_result answer_written(struct task *task)
{
	task_take_over(task);
	if (task->written_status == 200 && task_hash_is_not_modified(task, task->written_hash))
		return task_reply(task, 304, (struct str){0}, (struct str){0});
	return task_reply(task, task->written_status, json_type, task->written);
}

struct step_result task_reply_written(struct task *task, int status, size_t bytes,
				      task_writer *write, void *argument)
{
	struct buffer json = {0};
	struct step_result answer;

	if (bytes > LIMIT_LOOP_TEXT_BYTES) {
		task->write = write;
		task->write_argument = argument;
		task->written_status = status;
		return task_work_on_text(task, write_answer, bytes, answer_written);
	}
	write(argument, task_arena(task), &json);
	answer = task_reply_json(task, status, &json);
	buffer_finish(&json);
	return answer;
}

struct large_record {
	const struct record *record;
	const void *row;
};

static void write_record(void *argument, struct arena *arena, struct buffer *json)
{
	const struct large_record *large = argument;

	(void)arena;
	record_write_json(large->record, large->row, json);
}

static struct step_result reply_large_record(struct task *task, int status,
					     const struct record *record, const void *row,
					     size_t bytes)
{
	struct large_record *large = arena_alloc(task_arena(task), sizeof(*large));

	*large = (struct large_record){record, row};
	return task_reply_written(task, status, bytes, write_record, large);
}

struct step_result task_reply_record(struct task *task, int status, const struct record *record,
				     const void *row)
{
	size_t bytes = record_text_bytes(record, row);
	struct buffer *json;

	/* The answer to a stored write is made here, since the queue of the threads may be full. */
	if (bytes > LIMIT_LOOP_TEXT_BYTES && !task->has_written)
		return reply_large_record(task, status, record, row, bytes);
	json = task_scratch();
	record_write_json(record, row, json);
	return task_reply_json(task, status, json);
}

struct step_result task_reply_device(struct task *task, const struct record *record,
				     const void *row, int64_t settings_revision)
{
	struct buffer *json = task_scratch();

	record_write_json(record, row, json);
	task_keep_row(task, row);
	return task_reply_settings(task, buffer_view(json), settings_revision);
}

struct step_result task_reply_settings(struct task *task, struct str json,
				       int64_t settings_revision)
{
	bool is_known = task_device_is_not_modified(task, settings_revision, json);

	task_keep(task, json);
	if (is_known)
		return task_reply(task, 304, (struct str){0}, (struct str){0});
	return task_reply(task, 200, json_type, arena_copy(task_arena(task), json));
}

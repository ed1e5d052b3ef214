/* Large texts, which would hold the loop: bodies are read and answers written by worker threads. */
#include "base/limits.h"
#include "task_private.h"

static struct verdict work_on_text(struct task *task, bool (*run)(void *argument), size_t bytes,
				   task_step *next)
{
	return task_work(
	    task, LANE_SHORT,
	    &(struct task_work){.run = run, .argument = task, .size = bytes, .is_text = true},
	    next);
}

/* Keeps the memory that a thread has filled as long as the request. */
static void take_over(struct task *task)
{
	arena_adopt(task_arena(task), &task->lane_arena);
	task->faults.arena = task_arena(task);
}

/* ---- bodies ---- */

/* On a worker thread. Until the body was read nobody else touches the state. */
static bool read_body(void *argument)
{
	struct task *task = argument;

	faults_init(&task->faults, &task->lane_arena);
	task->is_json = json_parse_body(task->request->body, &task->lane_arena, &task->document,
					&task->why_no_json);
	if (task->is_json)
		record_read_json(task->endpoint->body, task->document.root, task->state,
				 &task->present, &task->faults);
	return false;
}

static struct verdict body_read(struct task *task)
{
	take_over(task);
	task->has_read_fields = true;
	return task_continue(task, task->after_body);
}

struct verdict task_read_large_body(struct task *task, task_step *next)
{
	task->after_body = next;
	return work_on_text(task, read_body, task->request->body.length, body_read);
}

/* ---- answers ---- */

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

static struct verdict answer_written(struct task *task)
{
	take_over(task);
	if (task->written_status == 200 && task_hash_is_not_modified(task, task->written_hash))
		return task_reply(task, 304, (struct str){0}, (struct str){0});
	return task_reply(task, task->written_status, STR("application/json"), task->written);
}

struct verdict task_reply_written(struct task *task, int status, size_t bytes, task_writer *write,
				  void *argument)
{
	struct buffer json = {0};
	struct verdict answer;

	if (bytes > LIMIT_LOOP_TEXT_BYTES) {
		task->write = write;
		task->write_argument = argument;
		task->written_status = status;
		return work_on_text(task, write_answer, bytes, answer_written);
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

struct verdict task_reply_large_record(struct task *task, int status, const struct record *record,
				       const void *row, size_t bytes)
{
	struct large_record *large = arena_alloc(task_arena(task), sizeof(*large));

	*large = (struct large_record){record, row};
	return task_reply_written(task, status, bytes, write_record, large);
}

/* Processes large texts, which would block the loop, on worker threads. */
#include "base/limits.h"
#include "task_private.h"

struct step_result task_work_on_text(struct task *task, bool (*run)(void *argument), size_t bytes,
				     task_step *next)
{
	bool is_long = bytes > LIMIT_SHORT_TEXT_BYTES;

	return task_work(task, is_long ? LANE_LONG : LANE_SHORT,
			 &(struct task_work){.run = run,
					     .argument = task,
					     .size = is_long ? bytes / TASK_TEXT_BYTES : bytes,
					     .is_text = true},
			 next);
}

void task_take_over(struct task *task)
{
	arena_adopt(task_arena(task), &task->lane_arena);
	task->faults.arena = task_arena(task);
}

/* Runs on a worker thread. Until the body was read nothing else touches the state. */
static bool read_body(void *argument)
{
	struct task *task = argument;
	const struct record *record = task->endpoint->body;
	enum json_progress progress;

	if (!task->parsing) {
		faults_init(&task->faults, &task->lane_arena);
		task->parsing =
		    json_parsing_new(task->request->body, record->takes_whole, &task->lane_arena);
	}
	if (task->is_json) {
		record_read_json(record, task->document.root, task->state, &task->present,
				 &task->faults);
		return false;
	}
	progress = json_parsing_step(task->parsing, &task->document, &task->why_no_json);
	task->is_json = progress == JSON_DONE;
	return progress != JSON_FAILED;
}

static struct step_result body_read(struct task *task)
{
	task_take_over(task);
	task->has_read_fields = true;
	return task_continue(task, task->after_body);
}

struct step_result task_read_large_body(struct task *task, task_step *next)
{
	task->after_body = next;
	return task_work_on_text(task, read_body, task->request->body.length, body_read);
}

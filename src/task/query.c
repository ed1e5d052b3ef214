#include "base/require.h"
#include "task_private.h"

static bool is_wanted(const struct db_query *query)
{
	return !http_request_is_abandoned(container_of(query, struct task, query)->request);
}

struct db_query *task_new_query(struct task *task)
{
	db_query_init(&task->query, &task->request->arena);
	task->query.account_id = task->account_id;
	task->query.is_wanted = is_wanted;
	return &task->query;
}

void task_keep_failure(struct task *task, const struct db_result *result)
{
	task->failed_outcome = result->outcome;
	task->constraint_error = result->constraint_error;
}

bool task_has_result(struct task *task, const struct db_result *result)
{
	if (result->outcome == DB_OK)
		return true;
	task_keep_failure(task, result);
	task_run(task, task_fail_db);
	return false;
}

static void on_result(struct db_query *query, const struct db_result *result)
{
	struct task *task = container_of(query, struct task, query);

	if (result->outcome == DB_STALE) {
		task_run(task, task->submit_again);
		return;
	}
	if (!task_has_result(task, result))
		return;
	require(!query->row || result->row_count <= 1);
	task->row_count = result->row_count;
	if (query->row && result->row_count)
		db_read_row(result, 0, query->record, task_arena(task), query->row);
	task_run(task, task->resumed);
}

void task_submit(struct task *task)
{
	if (statements[task->query.statement].effect == EFFECT_WRITE) {
		task->has_written = true;
		task->has_changed |= task->is_handled && !task->admitted;
	}
	db_submit(task->service->db, &task->query);
}

struct step_result task_query(struct task *task, task_step *next)
{
	task->query.done = on_result;
	/* It may wait for others before it is sent. */
	if (task->is_handled && !task->has_changed && !task->admitted && task->access)
		task->query.stale_ms = task->admitted_ms + TASK_RIGHTS_MS_MAX;
	task_submit(task);
	return task_wait(task, next);
}

unsigned task_row_count(struct task *task)
{
	return task->row_count;
}

#include "base/require.h"
#include "task_private.h"

struct db_query *task_new_query(struct task *task)
{
	db_query_init(&task->query, &task->request->arena);
	return &task->query;
}

/* False, and the task is answered, where there is no result. */
static bool has_result(struct task *task, const struct db_result *result)
{
	if (result->outcome == DB_OK)
		return true;
	task->failed_outcome = result->outcome;
	task->refusal = result->refusal;
	task_run(task, task_fail_db);
	return false;
}

static void on_result(struct db_query *query, const struct db_result *result)
{
	struct task *task = container_of(query, struct task, query);

	if (!has_result(task, result))
		return;
	require(!query->row || result->row_count <= 1);
	task->row_count = result->row_count;
	if (query->row && result->row_count)
		db_read_row(result, 0, query->record, task_arena(task), query->row);
	task_run(task, task->next);
}

static struct str write_rows(struct task *task, const struct db_result *result)
{
	struct arena *arena = &task->request->arena;
	const struct record *record = task->query.record;
	struct buffer *json = task_scratch();
	void *row_struct = arena_alloc(arena, record->size);

	buffer_append_char(json, '[');
	for (unsigned row = 0; row < result->row_count; row++) {
		memset(row_struct, 0, record->size);
		db_read_row(result, row, record, arena, row_struct);
		if (row > 0)
			buffer_append_char(json, ',');
		record_write_json(record, row_struct, json);
	}
	buffer_append_char(json, ']');
	return arena_copy(arena, buffer_view(json));
}

static struct verdict reply_rows(struct task *task)
{
	return task_reply(task, 200, STR("application/json"), task->json);
}

static struct verdict reply_not_modified(struct task *task)
{
	return task_reply(task, 304, (struct str){0}, (struct str){0});
}

static void on_rows(struct db_query *query, const struct db_result *result)
{
	struct task *task = container_of(query, struct task, query);

	if (!has_result(task, result))
		return;
	if (task_rows_are_not_modified(task, query->record, result)) {
		task_run(task, reply_not_modified);
		return;
	}
	task->json = write_rows(task, result);
	task_run(task, reply_rows);
}

static void submit(struct task *task)
{
	if (statements[task->query.statement].effect == EFFECT_WRITE)
		task->has_written = true;
	db_submit(task->service->db, &task->query);
}

struct verdict task_query(struct task *task, task_step *next)
{
	task->query.done = on_result;
	submit(task);
	return task_wait(task, next);
}

struct verdict task_reply_query(struct task *task)
{
	task->query.done = on_rows;
	submit(task);
	return task_wait(task, NULL);
}

unsigned task_row_count(struct task *task)
{
	return task->row_count;
}

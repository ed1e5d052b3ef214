#include "base/require.h"
#include "task_private.h"

enum { COLUMNS_MAX = 32 };

struct db_parameters *task_parameters(struct task *task)
{
	db_parameters_init(&task->query.parameters, &task->request->arena);
	return &task->query.parameters;
}

static void read_row(struct task *task, const struct db_result *result, unsigned row, void *ret_row)
{
	struct record_value columns[COLUMNS_MAX];

	require(result->column_count == record_column_count(task->row_record) &&
		result->column_count <= COLUMNS_MAX);
	for (unsigned column = 0; column < result->column_count; column++)
		columns[column] = db_value(result, row, column);
	record_read_row(task->row_record, columns, &task->request->arena, ret_row);
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
	require(!task->row_record || result->row_count <= 1);
	task->row_count = result->row_count;
	if (task->row_record && result->row_count)
		read_row(task, result, 0, task->row);
	task_run(task, task->next);
}

static struct str write_rows(struct task *task, const struct db_result *result)
{
	struct arena *arena = &task->request->arena;
	struct buffer *json = task_scratch();

	buffer_append_char(json, '[');
	for (unsigned row = 0; row < result->row_count; row++) {
		memset(task->row, 0, task->row_size);
		read_row(task, result, row, task->row);
		if (row > 0)
			buffer_append_char(json, ',');
		record_write_json(task->row_record, task->row, json);
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
	if (task_rows_are_not_modified(task, task->row_record, result)) {
		task_run(task, reply_not_modified);
		return;
	}
	task->json = write_rows(task, result);
	task_run(task, reply_rows);
}

static void submit(struct task *task, enum statement statement)
{
	task->query.statement = statement;
	if (statements[statement].effect == EFFECT_WRITE)
		task->has_written = true;
	db_submit(task->service->db, &task->query);
}

struct verdict task_query(struct task *task, enum statement statement, const struct record *record,
			  void *ret_row, task_step *next)
{
	task->row_record = record;
	task->row = ret_row;
	task->query.done = on_result;
	submit(task, statement);
	return task_wait(task, next);
}

struct verdict task_reply_query(struct task *task, enum statement statement,
				const struct record *record, size_t row_size)
{
	task->row_record = record;
	task->row = arena_alloc(task_arena(task), row_size);
	task->row_size = row_size;
	task->query.done = on_rows;
	submit(task, statement);
	return task_wait(task, NULL);
}

unsigned task_row_count(struct task *task)
{
	return task->row_count;
}

#include "base/require.h"
#include "task_private.h"

enum { COLUMNS_MAX = 32 };

struct db_parameters *task_parameters(struct task *task)
{
	db_parameters_init(&task->query.parameters, &task->request->arena);
	return &task->query.parameters;
}

static void read_rows(struct task *task, const struct db_result *result)
{
	struct arena *arena = &task->request->arena;
	struct record_value columns[COLUMNS_MAX];

	require(result->column_count == record_column_count(task->row_record) &&
		result->column_count <= COLUMNS_MAX);
	if (task->row_size)
		task->rows = arena_zalloc(arena, task->row_size * result->row_count);
	else
		require(result->row_count <= 1);
	for (unsigned row = 0; row < result->row_count; row++) {
		for (unsigned column = 0; column < result->column_count; column++)
			columns[column] = db_value(result, row, column);
		record_read_row(task->row_record, columns, arena,
				(char *)task->rows + row * task->row_size);
	}
}

static void on_result(struct db_query *query, const struct db_result *result)
{
	struct task *task = container_of(query, struct task, query);

	if (result->outcome != DB_OK) {
		task->failed_outcome = result->outcome;
		task->refusal = result->refusal;
		task_run(task, task_fail_db);
		return;
	}
	task->row_count = result->row_count;
	if (task->row_record && result->row_count)
		read_rows(task, result);
	task_run(task, task->next);
}

static struct verdict submit(struct task *task, enum statement statement, task_step *next)
{
	task->query.statement = statement;
	task->query.done = on_result;
	if (statements[statement].effect == EFFECT_WRITE)
		task->has_written = true;
	db_submit(task->service->db, &task->query);
	return task_wait(task, next);
}

struct verdict task_query(struct task *task, enum statement statement, const struct record *record,
			  void *ret_row, task_step *next)
{
	task->row_record = record;
	task->rows = ret_row;
	task->row_size = 0;
	return submit(task, statement, next);
}

struct verdict task_query_rows(struct task *task, enum statement statement,
			       const struct record *record, size_t row_size, task_step *next)
{
	task->row_record = record;
	task->rows = NULL;
	task->row_size = row_size;
	return submit(task, statement, next);
}

unsigned task_row_count(struct task *task)
{
	return task->row_count;
}

void *task_rows(struct task *task)
{
	return task->rows;
}

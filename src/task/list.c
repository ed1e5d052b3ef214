#include "base/limits.h"
#include "base/require.h"
#include "http/conditional.h"
#include "task_private.h"

static struct step_result reply_rows(struct task *task)
{
	return task_reply_rows(task, task->json);
}

static struct step_result reply_not_modified(struct task *task)
{
	return task_reply(task, 304, (struct str){0}, (struct str){0});
}

/* Answers 304: the client accepts any version of the list. */
static struct step_result reply_known(struct task *task)
{
	task_let_caches_ask(task);
	return reply_not_modified(task);
}

/* Writes the first count rows. Returns the scratch buffer. */
static struct buffer *write_rows(struct task *task, const struct db_result *result, unsigned count)
{
	struct arena *arena = task_arena(task);
	const struct record *record = task->query.record;
	struct buffer *json = task_scratch();
	void *row_struct = arena_alloc(arena, record->size);

	task_begin_list(task->list, json);
	for (unsigned row = 0; row < count; row++) {
		memset(row_struct, 0, record->size);
		db_read_row(result, row, record, arena, row_struct);
		if (task->list->complete)
			task->list->complete(task, row_struct);
		task_keep_row(task, row_struct);
		if (row > 0)
			buffer_append_char(json, ',');
		record_write_json(task->list->record, row_struct, json);
	}
	task_end_list(task->list, json);
	task->json = arena_copy(arena, buffer_view(json));
	if (count < result->row_count)
		task_add_next_part(task, record, row_struct);
	return json;
}

/* Tests the first row, since all rows agree. */
static bool is_large(struct task *task, const struct db_result *result)
{
	const struct record *record = task->query.record;
	const struct record_field *field;
	void *row;
	size_t offset = 0;

	if (!task->list->may_be_large || result->row_count == 0)
		return false;
	row = arena_zalloc(task_arena(task), record->size);
	db_read_row(result, 0, record, task_arena(task), row);
	field = record_column(record, "is_large", &offset);
	require(field && field->kind == RECORD_KIND_BOOL);
	return *(const bool *)((const char *)row + offset);
}

/* The entity tag is that of the written text, not of the rows. */
static void reply_written(struct task *task, struct buffer *json)
{
	task_run(task, task_part_is_not_modified(task, json) ? reply_not_modified : reply_rows);
}

static void on_short_list(struct db_query *query, const struct db_result *result)
{
	struct task *task = container_of(query, struct task, query);
	bool is_known;

	if (!task_has_result(task, result))
		return;
	if (result->row_count > LIMIT_LIST_SHORT || is_large(task, result)) {
		task_run(task, http_has_any_tag(task->request) ? reply_known : task_read_long_list);
		return;
	}
	if (task->list->complete) {
		reply_written(task, write_rows(task, result, result->row_count));
		return;
	}
	is_known = task_rows_are_not_modified(task, task->list->record, result,
					      result->column_count - task->list->unshown_columns);
	if (!is_known || task->is_to_keep) {
		write_rows(task, result, result->row_count);
		task_keep(task, task->json);
	}
	task_run(task, is_known ? reply_not_modified : reply_rows);
}

/* Replies with a part of a list. One row more than requested means that there is a next part. */
static void on_short_part(struct db_query *query, const struct db_result *result)
{
	struct task *task = container_of(query, struct task, query);
	unsigned wanted = (unsigned)task->range.limit - 1;

	if (!task_has_result(task, result))
		return;
	reply_written(task, write_rows(task, result,
				       result->row_count < wanted ? result->row_count : wanted));
}

struct step_result task_reply_list(struct task *task, const struct task_list *list)
{
	struct db_query *query = task_new_query(task);
	struct step_result answer;

	task->list = list;
	task_choose_coding(task);
	if (task_has_bad_choice(task, &answer) ||
	    (list->order && task_has_bad_range(task, &answer)))
		return answer;
	if (task->range.limit == 0) {
		list->ask(task, query, &task->range);
		query->done = on_short_list;
	} else if (task->range.limit <= LIMIT_LIST_SHORT + 1 && !list->may_be_large) {
		list->ask(task, query, &task->range);
		query->done = on_short_part;
	} else {
		return task_read_long_list(task);
	}
	task_submit(task);
	return task_wait(task, NULL);
}

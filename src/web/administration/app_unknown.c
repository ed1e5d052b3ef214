#include "app_unknown.h"

static struct step_result app_unknown_found(struct task *task)
{
	const struct app_unknown *unknown = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_APP_NOT_FOUND, "there is no such app");
	return task_fail(task, PROBLEM_APP_AMBIGUOUS,
			 "several accounts have an app of this slug, name one by its ID: %.*s",
			 STR_ARG(unknown->row.owners));
}

struct step_result app_unknown(struct task *task)
{
	struct app_unknown *unknown = task_state(task);

	statement_app_homonyms(
	    task_new_query(task),
	    &(struct app_homonyms_parameters){.slug = task_path_parameter(task, 0)}, &unknown->row);
	return task_query(task, app_unknown_found);
}

#include "v0_entry.h"
#include "api/entries.h"
#include "domain/v0.h"
#include "endpoints.h"

static struct step_result v0_entry_found(struct task *task)
{
	const struct v0_entry *entry = *task_helper(task);

	if (!entry->meant.first_id.data)
		return api_fail_no_entry(task);
	task_set_path_parameter(task, 1, entry->meant.first_id);
	return task_continue(task, entry->next);
}

struct step_result v0_entry_find(struct task *task, struct v0_entry *entry, task_step *next)
{
	struct str id = task_path_parameter(task, 1);

	if (!v0_entry_id_is_bare(id))
		return task_continue(task, next);
	entry->next = next;
	*task_helper(task) = entry;
	statement_entries_meant(task_new_query(task),
				&(struct entries_meant_parameters){
				    .device_id = task_device(task)->id,
				    .first = id,
				    .second = STR(""),
				},
				&entry->meant);
	return task_query(task, v0_entry_found);
}

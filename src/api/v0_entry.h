/* Finds the entry in a path of /v0: by its ID as in /v1, or by the ID of an app's installation
 * without dashes. */
#pragma once

#include "db/statements.h"
#include "task/task.h"

/* Part of an endpoint's state. */
struct v0_entry {
	struct entries_meant_row meant;
	task_step *next;
};

/* Continues with next, in which the path's second parameter is the entry's own ID. Answers 404 if
 * the path's device has no such entry. */
__attribute__((warn_unused_result)) struct step_result
v0_entry_find(struct task *task, struct v0_entry *entry, task_step *next);

/* Waiting for the verdict about a version (render/verdict.h), for a task that needs it. */
#pragma once

#include "base/memory_budget.h"
#include "task/task.h"

/* Part of the endpoint's state. Zeroed it is valid. */
struct version_wait {
	struct task *task; /* NULL: it has not waited */
	struct id version_id;
	struct hint_subscription hints; /* "checked:<id>:0" */
	struct deadline deadline;
	struct memory_share *share; /* of the account in the waiting tasks */
	uint64_t until_ms;
	bool is_waiting;
};

/* Waits until the verdict may be there; next asks the database again. Returns false, without a
 * wait, if LIMIT_VERSION_WAIT_MS have passed since the first call, or if too many tasks wait. */
__attribute__((warn_unused_result)) bool api_version_wait(struct task *task,
							  struct version_wait *wait,
							  struct id version_id, task_step *next,
							  struct step_result *ret_result);
/* For the endpoint's finish(). */
void version_wait_finish(struct version_wait *wait);

/* Whether versions must be checked: false if this server has no engine at all, and runs none. */
bool api_needs_check(struct task *task);

/* Answers 409: the version has no verdict yet. */
__attribute__((warn_unused_result)) struct step_result api_fail_unchecked(struct task *task,
									  struct str language);
/* Answers 409 with the fault. deed: "approved", "deployed". */
__attribute__((warn_unused_result)) struct step_result
api_fail_broken(struct task *task, const char *deed, struct str fault);

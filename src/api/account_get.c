#include "domain/account.h"
#include "endpoints.h"

/* GET /v1/account/ - the caller's account. */

static struct step_result account_get_found(struct task *task)
{
	/* The account was removed, and the key cache does not know it yet. */
	if (task_row_count(task) == 0)
		return task_refuse(task);
	return task_reply_record(task, 200, &account_record, task_state(task));
}

static struct step_result account_get_begin(struct task *task)
{
	statement_account_get(task_new_query(task),
			      &(struct account_get_parameters){.id = task_account_id(task)},
			      task_state(task));
	return task_query(task, account_get_found);
}

ENDPOINT_ACCOUNT_GET(.handler = account_get_begin, .state_size = sizeof(struct account),
		     .kept_as = READ_ACCOUNT);

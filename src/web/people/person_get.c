#include "web/access.h"
#include "web/endpoints.h"

/* Signed-in account.
 *
 *   GET /web/account          the account, which the access has read
 *   GET /web/account/storage  its stored bytes, and their limit */

static struct step_result person_get_begin(struct task *task)
{
	return task_reply_record(task, 200, &person_record, web_person(task));
}

static struct step_result summed(struct task *task)
{
	if (task_row_count(task) == 0)
		return task_refuse(task);
	return task_reply_record(task, 200, &account_bytes_record, task_state(task));
}

static struct step_result sum(struct task *task)
{
	statement_account_bytes(task_new_query(task),
				&(struct account_bytes_parameters){task_account_id(task)},
				task_state(task));
	return task_query(task, summed);
}

ENDPOINT_PERSON_GET(.handler = person_get_begin);
ENDPOINT_PERSON_STORAGE(.handler = sum, .state_size = sizeof(struct account_bytes));

#include "web/access.h"
#include "web/endpoints.h"

/* GET /web/admin/accounts/{accountId} - an account, by its ID or its e-mail address. */

static struct step_result member_get_found(struct task *task)
{
	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_ACCOUNT_NOT_FOUND, "there is no such account");
	return task_reply_record(task, 200, &member_record, task_state(task));
}

static struct step_result member_get_begin(struct task *task)
{
	struct str name = task_path_parameter(task, 0);
	struct member_get_parameters parameters = {.email = name};

	if (!id_parse(name, &parameters.id))
		parameters.id = (struct id){0};
	statement_member_get(task_new_query(task), &parameters, task_state(task));
	return task_query(task, member_get_found);
}

ENDPOINT_MEMBER_GET(.handler = member_get_begin, .state_size = sizeof(struct member));

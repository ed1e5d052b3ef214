#include "task/access.h"
#include "task_private.h"

#include <text/utf8.h>

struct id access_operator_session(void)
{
	struct id id;

	memset(id.bytes, 0xff, sizeof(id.bytes));
	return id;
}

/* The account was removed meanwhile. */
static struct step_result access_operator_refuse(struct task *task)
{
	return task_fail(task, PROBLEM_ACCOUNT_NOT_FOUND, "there is no such account");
}

static struct step_result on_account_found(struct task *task)
{
	if (task_row_count(task) == 0 || task_is_closed_to_operator(task))
		return access_operator_refuse(task);
	task->account_id = task->operators_account.id;
	return task_admit_unlimited(task);
}

static bool needs_account(const struct task *task)
{
	const struct endpoint *endpoint = task->endpoint;

	return endpoint->access && endpoint->access->is_personal &&
	       endpoint->resource == RESOURCE_NONE && !endpoint->needs_no_account;
}

static struct step_result access_operator_check(struct task *task)
{
	struct str email;

	switch (task_single_field(task, STR("displayd-account"), &email)) {
	case FIELD_ABSENT:
		if (needs_account(task))
			return task_fail(task, PROBLEM_ACCOUNT_NEEDED,
					 "the header Displayd-Account is missing");
		return task_admit_unlimited(task);
	case FIELD_REPEATED:
		return task_fail(task, PROBLEM_ACCOUNT_NEEDED, "Displayd-Account appears twice");
	case FIELD_SINGLE:
		break;
	}
	if (!utf8_is_valid(email) || str_find(email, '\0') < email.length)
		return task_fail(task, PROBLEM_ACCOUNT_NEEDED, "Displayd-Account must be UTF-8");
	statement_operator_account(task_new_query(task),
				   &(struct operator_account_parameters){.email = email},
				   &task->operators_account);
	return task_query(task, on_account_found);
}

const struct access access_operator = {
    .check = access_operator_check,
    .refuse = access_operator_refuse,
};

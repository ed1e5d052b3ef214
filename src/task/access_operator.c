#include "base/utf8.h"
#include "task/access.h"
#include "task_private.h"

struct operator_access {
	struct operator_account_row account;
};

struct id access_operator_session(void)
{
	struct id id;

	memset(id.bytes, 0xff, sizeof(id.bytes));
	return id;
}

/* The account was removed meanwhile. */
static struct verdict refuse(struct task *task)
{
	return task_fail(task, 404, "there is no such account");
}

static struct verdict on_account_found(struct task *task)
{
	const struct operator_access *access = task_access_state(task);

	/* An account that is being removed gets nothing any more. */
	if (task_row_count(task) == 0 ||
	    (access->account.is_closed && task->request->method != HTTP_GET))
		return refuse(task);
	task->account_id = access->account.id;
	return task_admit_unlimited(task);
}

static bool needs_account(const struct task *task)
{
	const struct endpoint *endpoint = task->endpoint;

	return endpoint->access && endpoint->access->is_personal &&
	       endpoint->resource == RESOURCE_NONE;
}

static struct verdict check(struct task *task)
{
	struct operator_access *access = task_access_state(task);
	struct str email;

	switch (task_single_field(task, STR("displayd-account"), &email)) {
	case FIELD_ABSENT:
		if (needs_account(task))
			return task_fail(task, 400, "the header Displayd-Account is missing");
		return task_admit_unlimited(task);
	case FIELD_REPEATED:
		return task_fail(task, 400, "Displayd-Account stands twice");
	case FIELD_SINGLE:
		break;
	}
	if (!utf8_is_valid(email) || str_find(email, '\0') < email.length)
		return task_fail(task, 400, "Displayd-Account must be UTF-8");
	statement_operator_account(task_new_query(task),
				   &(struct operator_account_parameters){.email = email},
				   &access->account);
	return task_query(task, on_account_found);
}

const struct access access_operator = {
    .check = check,
    .refuse = refuse,
    .state_size = sizeof(struct operator_access),
};

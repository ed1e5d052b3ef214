#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* PUT /web/admin/accounts/{accountId}/heir - makes an account the successor: it gets public apps,
 * which others have installed, of removed accounts. DELETE - ends that. */

struct choice {
	struct member member;
};

static struct step_result heir_fail(struct task *task)
{
	return task_fail(task, PROBLEM_ACCOUNT_NOT_FOUND, "there is no such account");
}

static struct step_result chosen(struct task *task)
{
	const struct choice *choice = task_state(task);

	if (task_row_count(task) == 0)
		return heir_fail(task);
	web_changed(task, (struct id){0}, "admin");
	return task_reply_record(task, 200, &member_record, &choice->member);
}

static struct step_result choose(struct task *task, bool is_heir)
{
	struct choice *choice = task_state(task);
	struct id id;

	if (!id_parse(task_path_parameter(task, 0), &id))
		return heir_fail(task);
	statement_heir_set(task_new_query(task),
			   &(struct heir_set_parameters){
			       .account_id = id,
			       .is_heir = is_heir,
			       .actor_id = task_account_id(task),
			       .address = web_address(task),
			       .session_id = web_session_id(task),
			   },
			   &choice->member);
	return task_query(task, chosen);
}

static struct step_result set(struct task *task)
{
	return choose(task, true);
}

static struct step_result clear(struct task *task)
{
	return choose(task, false);
}

ENDPOINT_HEIR_SET(.handler = set, .state_size = sizeof(struct choice));
ENDPOINT_HEIR_CLEAR(.handler = clear, .state_size = sizeof(struct choice));

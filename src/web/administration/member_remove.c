#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"
#include "web/people/removals.h"

/* DELETE /web/admin/accounts/{accountId} - the operator removes an account with all that it owns.
 * When this is answered, its keys and sessions have ended and nobody can sign in; its objects are
 * removed in portions (removals.h). */

struct removal {
	struct id id;
	struct account_remove_row row;
	struct removed_portion keys;
};

static struct step_result member_remove_fail(struct task *task)
{
	return task_fail(task, PROBLEM_ACCOUNT_NOT_FOUND, "there is no such account");
}

static struct step_result revoked(struct task *task)
{
	const struct removal *removal = task_state(task);

	web_changed(task, removal->id, "sessions");
	web_changed(task, (struct id){0}, "admin");
	removals_look(web_service_of(task)->removals);
	return task_reply_empty(task, 200);
}

static struct step_result closed(struct task *task)
{
	struct removal *removal = task_state(task);

	if (task_row_count(task) == 0)
		return member_remove_fail(task);
	statement_account_removal_keys(task_new_query(task),
				       &(struct account_removal_keys_parameters){removal->id},
				       &removal->keys);
	return task_query(task, revoked);
}

static struct step_result member_remove_begin(struct task *task)
{
	struct removal *removal = task_state(task);

	if (!task_is_of_operator(task))
		return web_refuse_all_but_operator(task);
	if (!id_parse(task_path_parameter(task, 0), &removal->id))
		return member_remove_fail(task);
	statement_account_remove(task_new_query(task),
				 &(struct account_remove_parameters){
				     .id = removal->id,
				     .address = web_address(task),
				     .session_id = web_session_id(task),
				 },
				 &removal->row);
	return task_query(task, closed);
}

ENDPOINT_MEMBER_REMOVE(.handler = member_remove_begin, .state_size = sizeof(struct removal),
		       .refused = web_fail_constraint);

#include "domain/account.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"
#include "web/people/authentication.h"
#include "web/people/removals.h"

/* DELETE /web/admin/accounts/{accountId} - the operator removes an account with all that it owns.
 * POST /web/admin/accounts/{accountId}/removal - an administrator does, with a password or a
 * passkey. When this is answered, its keys and sessions have ended and nobody can sign in; its
 * objects are removed in portions (removals.h). */

struct removal {
	struct reauthentication body; /* first: the pre-handler checks read the request into it */
	struct authentication authentication; /* of the administrator */
	struct id id;
	struct removal_preview preview;
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
		return task_is_of_operator(task) ? member_remove_fail(task)
						 : web_fail_outdated(task);
	statement_account_removal_keys(task_new_query(task),
				       &(struct account_removal_keys_parameters){removal->id},
				       &removal->keys);
	return task_query(task, revoked);
}

static struct step_result close_account(struct task *task)
{
	struct removal *removal = task_state(task);

	statement_account_remove(task_new_query(task),
				 &(struct account_remove_parameters){
				     .id = removal->id,
				     .by_operator = task_is_of_operator(task),
				     .actor_id = task_account_id(task),
				     .password_hash = removal->authentication.password_hash,
				     .credential_id = removal->authentication.credential_id,
				     .address = web_address(task),
				     .session_id = web_session_id(task),
				 },
				 &removal->row);
	return task_query(task, closed);
}

static struct step_result member_remove_begin(struct task *task)
{
	struct removal *removal = task_state(task);

	if (!task_is_of_operator(task))
		return web_refuse_all_but_operator(task);
	if (!id_parse(task_path_parameter(task, 0), &removal->id))
		return member_remove_fail(task);
	return close_account(task);
}

static struct step_result proven(struct task *task)
{
	struct removal *removal = task_state(task);

	if (removal->authentication.fault)
		return web_fail_authentication(task, &removal->authentication, "password");
	return close_account(task);
}

/* Looks for the account first: a wrong name costs no attempt. */
static struct step_result member_removal_found(struct task *task)
{
	struct removal *removal = task_state(task);

	if (task_row_count(task) == 0)
		return member_remove_fail(task);
	return web_reauthenticate(task, &removal->authentication, &removal->body, proven);
}

static struct step_result member_removal_begin(struct task *task)
{
	struct removal *removal = task_state(task);

	if (!id_parse(task_path_parameter(task, 0), &removal->id))
		return member_remove_fail(task);
	statement_account_removal_preview(task_new_query(task),
					  &(struct account_removal_preview_parameters){removal->id},
					  &removal->preview);
	return task_query(task, member_removal_found);
}

ENDPOINT_MEMBER_REMOVE(.handler = member_remove_begin, .state_size = sizeof(struct removal),
		       .refused = web_fail_constraint);
ENDPOINT_MEMBER_REMOVAL(.handler = member_removal_begin, .state_size = sizeof(struct removal),
			.refused = web_fail_constraint);

#include "authentication.h"
#include "base/limits.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* POST /web/passkeys/{passkeyId}/removal - removes a passkey of the account, with its password or
 * any of its passkeys, so that a browser that was left signed in cannot lock out the owner. */

struct removal {
	struct reauthentication body; /* first: the pre-handler checks read the request into it */
	struct authentication authentication;
	struct id id;
	struct passkey_remove_row row;
};

static struct step_result passkey_removal_fail(struct task *task)
{
	return task_fail(task, PROBLEM_PASSKEY_NOT_FOUND, "the account has no such passkey");
}

static struct step_result removed(struct task *task)
{
	const struct removal *removal = task_state(task);

	if (task_row_count(task) == 0)
		return web_fail_outdated(task);
	if (id_is_none(removal->row.id))
		return passkey_removal_fail(task);
	web_changed(task, task_account_id(task), "account");
	web_changed(task, (struct id){0}, "admin");
	return task_reply_empty(task, 200);
}

static struct step_result proven(struct task *task)
{
	struct removal *removal = task_state(task);

	if (removal->authentication.fault)
		return web_fail_authentication(task, &removal->authentication, "password");
	statement_passkey_remove(task_new_query(task),
				 &(struct passkey_remove_parameters){
				     .account_id = task_account_id(task),
				     .password_hash = removal->authentication.password_hash,
				     .credential_id = removal->authentication.credential_id,
				     .session_id = web_session_id(task),
				     .id = removal->id,
				     .address = web_address(task),
				 },
				 &removal->row);
	return task_query(task, removed);
}

static struct step_result passkey_removal_begin(struct task *task)
{
	struct removal *removal = task_state(task);

	if (!id_parse(task_path_parameter(task, 0), &removal->id))
		return passkey_removal_fail(task);
	return web_reauthenticate(task, &removal->authentication, &removal->body, proven);
}

ENDPOINT_PASSKEY_REMOVAL(.handler = passkey_removal_begin, .state_size = sizeof(struct removal));

#include "authentication.h"
#include "base/limits.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* POST /web/account/access/removal - ends what can act for the account without its password, in one
 * step: passkeys, API keys, webhooks and the MQTT connection. For an owner who has the account back
 * after somebody else had it. With the password or a passkey, so that a browser that was left
 * signed in cannot lock out the owner. */

struct access_end {
	struct reauthentication body; /* first: the pre-handler checks read the request into it */
	struct authentication authentication;
	struct account_access_end_row row;
};

static struct step_result ended(struct task *task)
{
	if (task_row_count(task) == 0)
		return web_fail_outdated(task);
	web_changed(task, task_account_id(task), "account");
	web_changed(task, task_account_id(task), "keys");
	web_changed(task, (struct id){0}, "admin");
	return task_reply_empty(task, 200);
}

static struct step_result proven(struct task *task)
{
	struct access_end *access = task_state(task);

	if (access->authentication.fault)
		return web_fail_authentication(task, &access->authentication, "password");
	statement_account_access_end(task_new_query(task),
				     &(struct account_access_end_parameters){
					 .account_id = task_account_id(task),
					 .password_hash = access->authentication.password_hash,
					 .credential_id = access->authentication.credential_id,
					 .session_id = web_session_id(task),
					 .address = web_address(task),
				     },
				     &access->row);
	return task_query(task, ended);
}

static struct step_result access_end_begin(struct task *task)
{
	struct access_end *access = task_state(task);

	return web_reauthenticate(task, &access->authentication, &access->body, proven);
}

ENDPOINT_ACCESS_END(.handler = access_end_begin, .state_size = sizeof(struct access_end));

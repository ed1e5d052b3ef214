#include "authentication.h"
#include "base/clock.h"
#include "base/limits.h"
#include "domain/key.h"
#include "known_sessions.h"
#include "session_start.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* POST /web/account/password - changes the password, with the present one or a passkey. All other
 * sessions of the account end, and this one gets a new cookie. */

struct change {
	struct password_change body; /* first: the pre-handler checks read the request into it */
	struct authentication authentication;
	struct password_job job;
	struct password_change_row changed;
	char token[TOKEN_LENGTH + 1];
	uint8_t token_hash[KEY_HASH_BYTES];
};

static struct step_result ended(struct task *task)
{
	const struct change *change = task_state(task);

	known_sessions_add(web_service_of(task)->sessions, change->token_hash,
			   task_account_id(task), clock_monotonic_us());
	web_changed(task, task_account_id(task), "sessions");
	web_set_cookie(task, str_from(change->token), web_session_is_lasting(task));
	return task_reply_empty(task, 200);
}

static struct step_result changed(struct task *task)
{
	if (task_row_count(task) == 0)
		return web_fail_outdated(task);
	web_changed(task, task_account_id(task), "sessions");
	web_changed(task, (struct id){0}, "admin");
	return web_end_late_sessions(task, task_account_id(task), web_session_id(task), ended);
}

static struct step_result hashed(struct task *task)
{
	struct change *change = task_state(task);
	struct step_result answer;

	if (web_password_failed(task, &change->job, &answer))
		return answer;
	token_new(change->token);
	key_hash(str_from(change->token), change->token_hash);
	statement_password_change(
	    task_new_query(task),
	    &(struct password_change_parameters){
		.account_id = task_account_id(task),
		.old_password_hash = change->authentication.password_hash,
		.credential_id = change->authentication.credential_id,
		.password_hash = str_from(change->job.new_hash),
		.session_id = web_session_id(task),
		.secret_hash = {(const char *)change->token_hash, KEY_HASH_BYTES},
		.address = web_address(task),
	    },
	    &change->changed);
	return task_query(task, changed);
}

static struct step_result proven(struct task *task)
{
	struct change *change = task_state(task);

	if (change->authentication.fault)
		return web_fail_authentication(task, &change->authentication, "currentPassword");
	change->job.is_known = true;
	return web_hash_password(task, &change->job, change->body.password, hashed);
}

static struct step_result password_change_begin(struct task *task)
{
	struct change *change = task_state(task);
	const struct person *person = web_person(task);
	const char *fault = password_check_for(change->body.password, person->email, person->name);

	if (fault)
		return task_fail_field(task, "password", "%s", fault);
	return web_reauthenticate(task, &change->authentication, &change->body.authentication,
				  proven);
}

ENDPOINT_PASSWORD_CHANGE(.handler = password_change_begin, .state_size = sizeof(struct change));

#include "authentication.h"
#include "base/limits.h"
#include "domain/account.h"
#include "removals.h"
#include "session_start.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* GET /web/account/removal - objects that are removed with the account. POST /web/account/removal -
 * removes it. When this is answered, its keys and sessions have ended and nobody can sign in; its
 * objects are removed in portions (removals.h). */

static struct step_result previewed(struct task *task)
{
	if (task_row_count(task) == 0)
		return task_refuse(task);
	return task_reply_record(task, 200, &removal_preview_record, task_state(task));
}

static struct step_result preview(struct task *task)
{
	statement_account_removal_preview(
	    task_new_query(task),
	    &(struct account_removal_preview_parameters){task_account_id(task)}, task_state(task));
	return task_query(task, previewed);
}

struct removal {
	struct reauthentication body; /* first: the pre-handler checks read the request into it */
	struct authentication authentication;
	struct account_close_row closed;
	struct removed_portion keys;
};

static struct step_result revoked(struct task *task)
{
	web_changed(task, task_account_id(task), "sessions");
	web_changed(task, (struct id){0}, "admin");
	removals_look(web_service_of(task)->removals);
	web_set_cookie(task, (struct str){0}, false);
	return task_reply_empty(task, 200);
}

static struct step_result closed(struct task *task)
{
	struct removal *removal = task_state(task);

	if (task_row_count(task) == 0)
		return web_fail_outdated(task);
	statement_account_removal_keys(
	    task_new_query(task), &(struct account_removal_keys_parameters){task_account_id(task)},
	    &removal->keys);
	return task_query(task, revoked);
}

static struct step_result proven(struct task *task)
{
	struct removal *removal = task_state(task);

	if (removal->authentication.fault)
		return web_fail_authentication(task, &removal->authentication, "password");
	statement_account_close(task_new_query(task),
				&(struct account_close_parameters){
				    .account_id = task_account_id(task),
				    .password_hash = removal->authentication.password_hash,
				    .credential_id = removal->authentication.credential_id,
				    .session_id = web_session_id(task),
				    .address = web_address(task),
				},
				&removal->closed);
	return task_query(task, closed);
}

static struct step_result person_removal_begin(struct task *task)
{
	struct removal *removal = task_state(task);

	return web_reauthenticate(task, &removal->authentication, &removal->body, proven);
}

ENDPOINT_PERSON_REMOVAL_PREVIEW(.handler = preview, .state_size = sizeof(struct removal_preview));
ENDPOINT_PERSON_REMOVAL(.handler = person_removal_begin, .state_size = sizeof(struct removal),
			.refused = web_fail_constraint);

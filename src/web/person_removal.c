#include "access.h"
#include "attempts.h"
#include "base/limits.h"
#include "changed.h"
#include "domain/account.h"
#include "endpoints.h"
#include "password.h"
#include "removals.h"
#include "session_start.h"

/* GET /web/account/removal - what goes with the account.
 * POST /web/account/removal - removes it. When this is answered, its keys and sessions have ended
 * and nobody can sign in; what it owns goes in portions (removals.h). */

static struct verdict previewed(struct task *task)
{
	if (task_row_count(task) == 0)
		return task_refuse(task);
	return task_reply_record(task, 200, &removal_preview_record, task_state(task));
}

static struct verdict preview(struct task *task)
{
	statement_account_removal_preview(
	    task_new_query(task),
	    &(struct account_removal_preview_parameters){task_account_id(task)}, task_state(task));
	return task_query(task, previewed);
}

struct removal {
	struct password_proof body; /* first: the prologue reads the request into it */
	struct attempt attempt;
	struct account_password_row account;
	struct password_job job;
	struct account_close_row closed;
	struct removed_portion keys;
};

static struct verdict revoked(struct task *task)
{
	web_changed(task, task_account_id(task), "sessions");
	web_changed(task, (struct id){0}, "admin");
	removals_look(web_service_of(task)->removals);
	web_set_cookie(task, (struct str){0});
	return task_reply_empty(task, 200);
}

static struct verdict closed(struct task *task)
{
	struct removal *removal = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(task, 409, "the password was changed meanwhile, try again");
	statement_account_removal_keys(
	    task_new_query(task), &(struct account_removal_keys_parameters){task_account_id(task)},
	    &removal->keys);
	return task_query(task, revoked);
}

static struct verdict checked(struct task *task)
{
	struct removal *removal = task_state(task);
	struct verdict answer;

	if (web_password_failed(task, &removal->job, &answer))
		return answer;
	if (!removal->job.matches)
		return task_fail_field(task, "password", "is not the password of this account");
	statement_account_close(task_new_query(task),
				&(struct account_close_parameters){
				    .account_id = task_account_id(task),
				    .password_hash = removal->account.password_hash,
				    .address = web_address(task),
				},
				&removal->closed);
	return task_query(task, closed);
}

static struct verdict check(struct task *task)
{
	struct removal *removal = task_state(task);

	return web_verify_password(task, &removal->job, removal->body.password,
				   removal->account.password_hash, checked);
}

static struct verdict looked_up(struct task *task)
{
	struct removal *removal = task_state(task);

	return web_attempt(task, &removal->attempt, task_account_id(task), check);
}

static struct verdict begin(struct task *task)
{
	struct removal *removal = task_state(task);
	struct verdict answer;

	if (web_attempts_of_address(task, &answer))
		return answer;
	statement_account_password(task_new_query(task),
				   &(struct account_password_parameters){web_person(task)->email},
				   &removal->account);
	return task_query(task, looked_up);
}

const struct endpoint endpoint_person_removal_preview = {
    .name = "person_removal_preview",
    .handler = preview,
    .access = &access_session,
    .state_size = sizeof(struct removal_preview),
};
const struct endpoint endpoint_person_removal = {
    .name = "person_removal",
    .handler = begin,
    .access = &access_session,
    .body = &password_proof_record,
    .body_max_bytes = LIMIT_PAGE_BODY_BYTES,
    .state_size = sizeof(struct removal),
    .refused = web_fail_refusal,
};

#include "access.h"
#include "attempts.h"
#include "base/limits.h"
#include "endpoints.h"
#include "password.h"
#include "session_start.h"

/* POST /web/session - signs in.
 *
 *   begin    attempts of the address
 *     -> looked_up   attempts for the account, which may wait
 *       -> check     the password lane, for unknown accounts, too
 *         -> checked -> web_start_session() */

struct sign_in_task {
	struct sign_in body; /* first: the prologue reads the request into it */
	struct attempt attempt;
	struct account_password_row account; /* its ID is all zero: unknown */
	struct password_job job;
};

static struct verdict checked(struct task *task)
{
	const struct sign_in_task *state = task_state(task);
	struct verdict answer;

	if (web_password_failed(task, &state->job, &answer))
		return answer;
	if (state->job.matches)
		return web_start_session(task, state->account.id, state->account.password_hash);
	task_add_field(task, STR("WWW-Authenticate"), STR("Session realm=\"displayd\""));
	return task_fail(task, 401, "the e-mail address or the password is wrong");
}

static struct verdict check(struct task *task)
{
	struct sign_in_task *state = task_state(task);

	return web_verify_password(task, &state->job, state->body.password,
				   state->account.password_hash, checked);
}

static struct verdict looked_up(struct task *task)
{
	struct sign_in_task *state = task_state(task);
	struct id account = id_is_none(state->account.id)
				? web_unknown_account(state->account.folded)
				: state->account.id;

	return web_attempt(task, &state->attempt, account, check);
}

static struct verdict begin(struct task *task)
{
	struct sign_in_task *state = task_state(task);
	struct verdict answer;

	if (web_has_no_sessions(task, &answer) || web_attempts_of_address(task, &answer))
		return answer;
	statement_account_password(
	    task_new_query(task), &(struct account_password_parameters){.email = state->body.email},
	    &state->account);
	return task_query(task, looked_up);
}

const struct endpoint endpoint_session_create = {
    .name = "session_create",
    .handler = begin,
    .access = &access_visitor,
    .body = &sign_in_record,
    .body_max_bytes = LIMIT_PAGE_BODY_BYTES,
    .state_size = sizeof(struct sign_in_task),
};

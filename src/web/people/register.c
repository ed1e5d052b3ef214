#include "attempts.h"
#include "base/limits.h"
#include "password.h"
#include "session_start.h"
#include "web/access.h"
#include "web/endpoints.h"

/* POST /web/registration - makes an account, if registration is open. */

struct register_task {
	struct registration body; /* first: the pre-handler checks read the request into it */
	struct attempt attempt;
	struct password_job job;
	struct person person;
};

static struct step_result registered(struct task *task)
{
	const struct register_task *state = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(
		    task, PROBLEM_FIRST_ACCOUNT_NEEDED,
		    "create the first account with the link that the server printed at its start");
	return web_start_session(task, &(struct authentication){
					   .account_id = state->person.id,
					   .password_hash = str_from(state->job.new_hash),
				       });
}

static struct step_result hashed(struct task *task)
{
	struct register_task *state = task_state(task);
	struct step_result answer;

	if (web_password_failed(task, &state->job, &answer))
		return answer;
	statement_account_register(task_new_query(task),
				   &(struct account_register_parameters){
				       .id = id_new(),
				       .email = state->body.email,
				       .name = state->body.name,
				       .password_hash = str_from(state->job.new_hash),
				       .address = web_address(task),
				   },
				   &state->person);
	return task_query(task, registered);
}

static struct step_result begin(struct task *task)
{
	struct register_task *state = task_state(task);
	struct step_result answer;

	if (web_has_no_sessions(task, &answer))
		return answer;
	if (web_service_of(task)->registration != REGISTRATION_OPEN)
		return task_fail(task, PROBLEM_INVITATION_NEEDED,
				 "accounts are created by invitation only");
	/* Counts as an attempt even if it does not fail, to limit the number of accounts. */
	if (web_attempt_of_nobody(task, &state->attempt, &answer))
		return answer;
	state->job.is_known = state->attempt.is_known;
	return web_hash_password(task, &state->job, state->body.password, hashed);
}

const struct endpoint endpoint_register = {
    .handler = begin,
    .state_size = sizeof(struct register_task),
    .refused = web_fail_constraint,
    ENDPOINT_REGISTER,
};

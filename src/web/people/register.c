#include "attempts.h"
#include "base/clock.h"
#include "base/limits.h"
#include "metric/metric.h"
#include "password.h"
#include "session_start.h"
#include "task/rate.h"
#include "web/access.h"
#include "web/endpoints.h"

/* POST /web/registration - makes an account, if registration is open. */

struct register_task {
	struct registration body; /* first: the pre-handler checks read the request into it */
	struct attempt attempt;
	struct password_job job;
	struct person person;
	bool is_counted; /* the account counts against the limits of its networks */
};

/* ---- accounts of a network ---- */

static const struct rate_policy of_address = {
    .name = "reg-addr",
    .burst = LIMIT_REGISTRATIONS_OF_ADDRESS,
    .seconds_each = LIMIT_REGISTRATIONS_OF_ADDRESS_S,
};
static const struct rate_policy of_network = {
    .name = "reg-netw",
    .burst = LIMIT_REGISTRATIONS_OF_NETWORK,
    .seconds_each = LIMIT_REGISTRATIONS_OF_NETWORK_S,
};

static void give_back(struct task *task)
{
	struct register_task *state = task_state(task);
	struct rate_table *visitors = task_service(task)->visitors;
	uint64_t now_us = clock_monotonic_us();

	if (!state->is_counted)
		return;
	state->is_counted = false;
	rate_give_back(visitors, &of_address, web_address_id(task), now_us);
	rate_give_back(visitors, &of_network, web_network_id(task), now_us);
}

static struct step_result fail_too_many(struct task *task, const struct rate_policy *policy,
					const struct rate_result *result)
{
	metric_add(METRIC_RATE_LIMITED, METRIC_LIMIT_ATTEMPTS, 1);
	task_add_field(task, STR("Retry-After"),
		       arena_decimal(task_arena(task), result->retry_after_s));
	return task_fail(task, PROBLEM_REQUESTS_TOO_MANY,
			 "too many accounts were made from this network, at most %u at once and "
			 "then one in %u s; try again in %u s",
			 policy->burst, policy->seconds_each, result->retry_after_s);
}

/* Counts the account before it is made, so that those under way count. Returns true, with the
 * answer 429, if its address or network has made too many. */
static bool is_one_too_many(struct task *task, struct step_result *ret_answer)
{
	struct register_task *state = task_state(task);
	struct rate_table *visitors = task_service(task)->visitors;
	uint64_t now_us = clock_monotonic_us();
	struct rate_result result;

	if (!web_service_of(task)->limits_attempts || id_is_none(web_network_id(task)))
		return false;
	result = rate_take(visitors, &of_address, web_address_id(task), now_us);
	if (!result.is_allowed) {
		*ret_answer = fail_too_many(task, &of_address, &result);
		return true;
	}
	result = rate_take(visitors, &of_network, web_network_id(task), now_us);
	if (!result.is_allowed) {
		rate_give_back(visitors, &of_address, web_address_id(task), now_us);
		*ret_answer = fail_too_many(task, &of_network, &result);
		return true;
	}
	state->is_counted = true;
	return false;
}

/* ---- the account ---- */

static struct step_result registered(struct task *task)
{
	const struct register_task *state = task_state(task);

	if (task_row_count(task) == 0) {
		give_back(task);
		return task_fail(
		    task, PROBLEM_FIRST_ACCOUNT_NEEDED,
		    "create the first account with the link that the server printed at its start");
	}
	return web_start_session(task, &(struct authentication){
					   .account_id = state->person.id,
					   .password_hash = str_from(state->job.new_hash),
				       });
}

static struct step_result hashed(struct task *task)
{
	struct register_task *state = task_state(task);
	struct step_result answer;

	if (web_password_failed(task, &state->job, &answer)) {
		give_back(task);
		return answer;
	}
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

static struct step_result register_begin(struct task *task)
{
	struct register_task *state = task_state(task);
	struct step_result answer;

	if (web_has_no_sessions(task, &answer))
		return answer;
	if (web_service_of(task)->registration != REGISTRATION_OPEN)
		return task_fail(task, PROBLEM_INVITATION_NEEDED,
				 "accounts are created by invitation only");
	/* Counts as an attempt even if it does not fail: the answer 409 reveals an account. */
	if (web_attempt_of_nobody(task, &state->attempt, &answer) || is_one_too_many(task, &answer))
		return answer;
	web_attempt_failed(task, &state->attempt);
	state->job.is_known = state->attempt.is_known;
	return web_hash_password(task, &state->job, state->body.password, hashed);
}

static struct step_result refused(struct task *task)
{
	give_back(task);
	return web_fail_constraint(task);
}

ENDPOINT_REGISTER(.handler = register_begin, .state_size = sizeof(struct register_task),
		  .refused = refused);

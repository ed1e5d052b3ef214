#include "attempts.h"
#include "access.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/memory.h"
#include "metric/metric.h"

#include <sodium.h>

static const struct rate_policy of_address = {
    .name = "att-addr",
    .burst = LIMIT_ATTEMPTS_OF_ADDRESS,
    .seconds_each = LIMIT_ATTEMPTS_OF_ADDRESS_S,
};
static const struct rate_policy at_address = {
    .name = "att-pair",
    .burst = LIMIT_ATTEMPTS_AT_ADDRESS,
    .seconds_each = LIMIT_ATTEMPTS_AT_ADDRESS_S,
};
static const struct rate_policy of_account = {
    .name = "att-acct",
    .burst = LIMIT_ATTEMPTS_OF_ACCOUNT,
    .seconds_each = LIMIT_ATTEMPTS_OF_ACCOUNT_S,
};

static struct rate_result take(struct task *task, const struct rate_policy *policy, struct id id)
{
	return rate_take(task_service(task)->visitors, policy, id, clock_monotonic_us());
}

static struct verdict refuse(struct task *task, const struct rate_result *result)
{
	metric_add(METRIC_RATE_LIMITED, METRIC_LIMIT_ATTEMPTS, 1);
	task_add_field(task, STR("Retry-After"),
		       arena_decimal(task_arena(task), result->retry_after_s));
	return task_fail(task, 429, "too many attempts, try again in %u s", result->retry_after_s);
}

bool web_attempts_of_address(struct task *task, struct verdict *ret_answer)
{
	struct rate_result result;

	if (!web_service_of(task)->limits_attempts)
		return false;
	result = take(task, &of_address, web_address_id(task));
	if (!result.is_allowed)
		*ret_answer = refuse(task, &result);
	return !result.is_allowed;
}

static void on_turn(struct deadline *deadline)
{
	task_resume(container_of(deadline, struct attempt, turn)->task);
}

static struct id pair_of(struct id account, struct id address)
{
	struct id pair;

	crypto_generichash(pair.bytes, sizeof(pair.bytes), account.bytes, sizeof(account.bytes),
			   address.bytes, sizeof(address.bytes));
	return pair;
}

struct verdict web_attempt(struct task *task, struct attempt *attempt, struct id account,
			   task_step *next)
{
	struct rate_result result;

	if (!web_service_of(task)->limits_attempts)
		return task_continue(task, next);
	result = take(task, &at_address, pair_of(account, web_address_id(task)));
	if (!result.is_allowed)
		return refuse(task, &result);
	result = take(task, &of_account, account);
	if (result.is_allowed)
		return task_continue(task, next);
	attempt->task = task;
	deadline_init(&attempt->turn, on_turn);
	deadline_set(task_service(task)->loop, &attempt->turn, LIMIT_ATTEMPT_WAIT_MS);
	return task_wait(task, next);
}

struct id web_unknown_account(struct str folded)
{
	struct id id;

	crypto_generichash(id.bytes, sizeof(id.bytes), (const uint8_t *)folded.data, folded.length,
			   NULL, 0);
	return id;
}

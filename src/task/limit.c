#include "base/clock.h"
#include "base/decimal.h"
#include "metric/metric.h"
#include "task/failed_attempts.h"
#include "task_private.h"

/* Returns "name";k=1;l=2 for the keys k and l. */
static struct str rate_value(struct arena *arena, struct str name, char key, unsigned number,
			     char other_key, unsigned other)
{
	char *text = arena_alloc(arena, name.length + 8 + 2 * DECIMAL_BYTES_MAX);
	char *at = text;

	*at++ = '"';
	memcpy(at, name.data, name.length);
	at += name.length;
	memcpy(at, "\";k=", 4);
	at[2] = key;
	at += 4;
	at += decimal_format(number, at);
	memcpy(at, ";k=", 3);
	at[1] = other_key;
	at += 3;
	at += decimal_format(other, at);
	return (struct str){text, (size_t)(at - text)};
}

/* The fields of the IETF httpapi draft "RateLimit header fields for HTTP". A second policy is added
 * to the same fields. */
static void add_rate_fields(struct task *task, const struct rate_policy *policy,
			    const struct rate_result *result)
{
	struct http_response *response = &task->response;
	struct arena *arena = task_arena(task);
	unsigned window_s = (policy->burst + policy->per_second - 1) / policy->per_second;
	struct str name = str_from(policy->name);
	struct str quota = rate_value(arena, name, 'q', policy->burst, 'w', window_s);
	struct str state = rate_value(arena, name, 'r', result->remaining, 't', result->reset_s);

	for (unsigned i = 0; i + 1 < response->field_count; i++) {
		struct http_field *field = &response->fields[i];

		if (str_equal(field->name, STR("RateLimit-Policy"))) {
			field[0].value = ARENA_JOIN(arena, field[0].value, STR(", "), quota);
			field[1].value = ARENA_JOIN(arena, field[1].value, STR(", "), state);
			return;
		}
	}
	task_add_field(task, STR("RateLimit-Policy"), quota);
	task_add_field(task, STR("RateLimit"), state);
}

bool task_is_limited(struct task *task, struct rate_table *table, const struct rate_policy *policy,
		     struct id id, struct step_result *ret_answer)
{
	struct rate_result result;

	if (policy->per_second == 0)
		return false;
	result = rate_take(table, policy, id, clock_monotonic_us());
	add_rate_fields(task, policy, &result);
	if (result.is_allowed)
		return false;
	metric_add(METRIC_RATE_LIMITED, policy->metric, 1);
	task_add_field(task, STR("Retry-After"),
		       arena_decimal(task_arena(task), result.retry_after_s));
	*ret_answer =
	    task_fail(task, PROBLEM_REQUESTS_TOO_MANY, "more than %u requests a second %s",
		      policy->per_second, policy->of_what);
	return true;
}

static bool limit_take(const struct task *task, const struct rate_policy *policy, struct id id,
		       unsigned *ret_retry_after_s)
{
	struct rate_result result;

	if (!policy || policy->per_second == 0)
		return true;
	result = rate_take(task->service->rates, policy, id, clock_monotonic_us());
	*ret_retry_after_s = result.retry_after_s;
	if (!result.is_allowed)
		metric_add(METRIC_RATE_LIMITED, policy->metric, 1);
	return result.is_allowed;
}

bool task_take_token(struct task *task, unsigned *ret_retry_after_s)
{
	return limit_take(task, task->caller_rate, task->caller_rate_id, ret_retry_after_s);
}

bool task_take_device_token(struct task *task, bool is_another, unsigned *ret_retry_after_s)
{
	return (!is_another || task_take_token(task, ret_retry_after_s)) &&
	       limit_take(task, &task->service->push_rate, task->device.id, ret_retry_after_s);
}

bool task_fails_too_often(struct task *task, const char *of_what, struct step_result *ret_answer)
{
	const struct service *service = task->service;
	struct rate_result result = failed_attempts_allow(service, task->request->remote_address);

	if (result.is_allowed)
		return false;
	metric_add(METRIC_RATE_LIMITED, METRIC_LIMIT_FAILED_ATTEMPTS, 1);
	add_rate_fields(task, &service->failed_attempt_rate, &result);
	task_add_field(task, STR("Retry-After"),
		       arena_decimal(task_arena(task), result.retry_after_s));
	*ret_answer = task_fail(task, PROBLEM_ATTEMPTS_TOO_MANY, "too many wrong %s %s, try again",
				of_what, service->failed_attempt_rate.of_what);
	return true;
}

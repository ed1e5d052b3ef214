#include "base/clock.h"
#include "endpoints.h"
#include "http/listener.h"
#include "task/access.h"
#include "task/failed_attempts.h"

#include <sodium.h>

/* GET /metrics - metrics of the instance, for Prometheus. Clients of the admin listener may read
 * them; those of public listeners need the operator's token. */

static struct step_result metrics_refuse(struct task *task)
{
	task_add_field(task, STR("WWW-Authenticate"), STR("Bearer realm=\"displayd metrics\""));
	return task_fail(task, PROBLEM_METRICS_TOKEN_MISSING,
			 "the token of --metrics-token-file is needed: Authorization: Bearer "
			 "<token>");
}

/* A wrong token is a failed attempt, like a wrong API key; the right one keeps working, even if
 * others from its address try wrong ones. Hashes are compared in constant time, so the time reveals
 * neither the token's bytes nor its length. */
static struct step_result metrics_check(struct task *task)
{
	const uint8_t *wanted = api_service(task)->metrics_token_hash;
	uint8_t hash[crypto_hash_sha256_BYTES];
	struct str token;
	struct step_result answer;

	if (task_request(task)->listener->role == HTTP_ROLE_ADMIN)
		return task_admit_unlimited(task);
	if (!access_bearer_token(task, &token))
		return metrics_refuse(task);
	crypto_hash_sha256(hash, (const unsigned char *)token.data, token.length);
	if (wanted && sodium_memcmp(hash, wanted, sizeof(hash)) == 0)
		return task_admit_unlimited(task);
	if (task_fails_too_often(task, "tokens", &answer))
		return answer;
	failed_attempts_count(task_service(task), task_request(task)->remote_address);
	return metrics_refuse(task);
}

static const struct access access_metrics = {
    .metric = METRIC_ACCESS_METRICS_TOKEN,
    .check = metrics_check,
    .refuse = metrics_refuse,
};

static struct step_result write_all(struct task *task)
{
	struct metric_reader reader = api_service(task)->metrics;
	struct buffer buffer = {0};
	struct str text;

	reader.now_ms = clock_monotonic_ms();
	metric_write_text(&reader, &buffer);
	text = arena_copy(task_arena(task), buffer_view(&buffer));
	buffer_finish(&buffer);
	task_add_field(task, STR("Cache-Control"), STR("no-store"));
	return task_reply(task, 200, STR("text/plain; version=0.0.4; charset=utf-8"), text);
}

const struct endpoint endpoint_metrics = {
    .name = "metrics",
    .handler = write_all,
    .access = &access_metrics,
    .is_for_operator = true,
};

#include "attempts.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/require.h"
#include "metric/metric.h"
#include "web/access.h"

#include <sodium.h>
#include <text/address.h>

/* Limits of one kind of attempts. The names of policies are unique. */
struct policies {
	struct rate_policy address;
	struct rate_policy subscriber; /* network of an IPv6 address */
	struct rate_policy network;
	struct rate_policy pair; /* an account at an address */
};

#define POLICIES(prefix)                                                                           \
	{                                                                                          \
		.address = {.name = prefix "-addr",                                                \
			    .burst = LIMIT_ATTEMPTS_OF_ADDRESS,                                    \
			    .seconds_each = LIMIT_ATTEMPTS_OF_ADDRESS_S},                          \
		.subscriber = {.name = prefix "-subs",                                             \
			       .burst = LIMIT_ATTEMPTS_OF_SUBSCRIBER,                              \
			       .seconds_each = LIMIT_ATTEMPTS_OF_SUBSCRIBER_S},                    \
		.network = {.name = prefix "-netw",                                                \
			    .burst = LIMIT_ATTEMPTS_OF_NETWORK,                                    \
			    .per_second = LIMIT_ATTEMPTS_OF_NETWORK_PER_S},                        \
		.pair = {.name = prefix "-pair",                                                   \
			 .burst = LIMIT_ATTEMPTS_AT_ADDRESS,                                       \
			 .seconds_each = LIMIT_ATTEMPTS_AT_ADDRESS_S},                             \
	}

static const struct policies kinds[] = {
    [ATTEMPT_PASSWORD] = POLICIES("att"),
    [ATTEMPT_PASSKEY] = POLICIES("key"),
};
static const struct rate_policy of_browser = {
    .name = "att-brws",
    .burst = LIMIT_ATTEMPTS_OF_BROWSER,
    .seconds_each = LIMIT_ATTEMPTS_OF_BROWSER_S,
};
/* Shared by all known browsers at an account: cookies of many browsers give no more attempts. */
static const struct rate_policy of_known = {
    .name = "att-knwn",
    .burst = LIMIT_ATTEMPTS_OF_KNOWN,
    .seconds_each = LIMIT_ATTEMPTS_OF_KNOWN_S,
};
static const struct rate_policy of_account = {
    .name = "att-acct",
    .burst = LIMIT_ATTEMPTS_OF_ACCOUNT,
    .seconds_each = LIMIT_ATTEMPTS_OF_ACCOUNT_S,
};

static const struct rate_policy *const all[] = {
    &kinds[ATTEMPT_PASSWORD].address,
    &kinds[ATTEMPT_PASSWORD].subscriber,
    &kinds[ATTEMPT_PASSWORD].network,
    &kinds[ATTEMPT_PASSWORD].pair,
    &kinds[ATTEMPT_PASSKEY].address,
    &kinds[ATTEMPT_PASSKEY].subscriber,
    &kinds[ATTEMPT_PASSKEY].network,
    &kinds[ATTEMPT_PASSKEY].pair,
    &of_browser,
    &of_known,
    &of_account,
};

/* Tokens that an attempt needs. */
struct wanted {
	struct attempt_token tokens[ATTEMPT_TOKENS_MAX];
	unsigned count;
};

static void want(struct wanted *wanted, const struct rate_policy *policy, struct id id)
{
	require(wanted->count < ATTEMPT_TOKENS_MAX);
	wanted->tokens[wanted->count++] = (struct attempt_token){policy, id};
}

static struct id pair_of(struct id account, struct id address)
{
	struct id pair;

	crypto_generichash(pair.bytes, sizeof(pair.bytes), account.bytes, sizeof(account.bytes),
			   address.bytes, sizeof(address.bytes));
	return pair;
}

/* account: none if the attempt is for no account, or the account is not known yet. */
static void want_of_untrusted(struct task *task, const struct policies *policies, struct id account,
			      struct wanted *wanted)
{
	struct id subscriber = web_address_id(task), network = web_network_id(task),
		  own = subscriber;
	struct address address;

	if (address_read(web_address(task), &address))
		memcpy(own.bytes, address.bytes, sizeof(own.bytes));
	want(wanted, &policies->address, own);
	if (!id_equal(own, subscriber))
		want(wanted, &policies->subscriber, subscriber);
	if (!id_is_none(network))
		want(wanted, &policies->network, network);
	if (!id_is_none(account))
		want(wanted, &policies->pair, pair_of(account, subscriber));
}

/* Returns the ID of a token's bucket: a keyed hash, since other instances are told of it. */
static struct id bucket_of(struct task *task, const struct attempt_token *token)
{
	static const char purpose[] = "displayd attempts";
	const struct settings_key *key = web_service_of(task)->api.settings_key;
	uint8_t text[sizeof(purpose) + ID_BYTES];
	struct id id;

	memcpy(text, purpose, sizeof(purpose));
	memcpy(text + sizeof(purpose), token->id.bytes, ID_BYTES);
	crypto_generichash(id.bytes, sizeof(id.bytes), text, sizeof(text), key->bytes,
			   sizeof(key->bytes));
	return id;
}

static struct rate_result look(struct task *task, const struct attempt_token *token)
{
	return rate_look(task_service(task)->visitors, token->policy, bucket_of(task, token),
			 clock_monotonic_us());
}

static bool attempts_take(struct task *task, struct attempt *attempt,
			  const struct attempt_token *token, struct rate_result *ret_result)
{
	const struct attempt_token bucket = {token->policy, bucket_of(task, token)};

	*ret_result =
	    rate_take(task_service(task)->visitors, bucket.policy, bucket.id, clock_monotonic_us());
	if (ret_result->is_allowed)
		attempt->taken[attempt->taken_count++] = bucket;
	return ret_result->is_allowed;
}

static struct step_result attempts_refuse(struct task *task, const struct rate_result *result)
{
	metric_add(METRIC_RATE_LIMITED, METRIC_LIMIT_ATTEMPTS, 1);
	task_add_field(task, STR("Retry-After"),
		       arena_decimal(task_arena(task), result->retry_after_s));
	return task_fail(task, PROBLEM_ATTEMPTS_TOO_MANY, "too many attempts, try again in %u s",
			 result->retry_after_s);
}

bool web_has_failed_too_often(struct task *task, enum attempt_kind kind,
			      struct step_result *ret_answer)
{
	struct attempt_token browser = {.policy = &of_browser};
	struct wanted wanted = {0};

	if (!web_service_of(task)->limits_attempts ||
	    (web_known_browser(task, &browser.id) && look(task, &browser).is_allowed))
		return false;
	want_of_untrusted(task, &kinds[kind], (struct id){0}, &wanted);
	for (unsigned i = 0; i < wanted.count; i++) {
		struct rate_result result = look(task, &wanted.tokens[i]);

		if (result.is_allowed)
			continue;
		*ret_answer = attempts_refuse(task, &result);
		return true;
	}
	return false;
}

/* Takes all wanted tokens, or none, with the answer. */
static bool is_refused(struct task *task, struct attempt *attempt, const struct wanted *wanted,
		       struct step_result *ret_answer)
{
	struct rate_result result;

	for (unsigned i = 0; i < wanted->count; i++) {
		if (attempts_take(task, attempt, &wanted->tokens[i], &result))
			continue;
		web_attempt_forget(task, attempt);
		*ret_answer = attempts_refuse(task, &result);
		return true;
	}
	return false;
}

/* Takes tokens of the address, its networks and the browser. */
static bool attempts_begin(struct task *task, struct attempt *attempt, enum attempt_kind kind,
			   struct id account, struct step_result *ret_answer)
{
	struct attempt_token browser = {.policy = &of_browser}, known = {&of_known, account};
	struct wanted wanted = {0}, others = {0};
	struct rate_result result;

	attempt->taken_count = 0;
	attempt->is_known = web_known_browser(task, &browser.id) &&
			    attempts_take(task, attempt, &browser, &result) &&
			    (id_is_none(account) || attempts_take(task, attempt, &known, &result));
	if (attempt->is_known)
		return false;
	want_of_untrusted(task, &kinds[kind], account, &wanted);
	if (is_refused(task, attempt, &wanted, ret_answer))
		return true;
	if (kind != ATTEMPT_PASSKEY)
		return false;
	want_of_untrusted(task, &kinds[ATTEMPT_PASSWORD], account, &others);
	for (unsigned i = 0; i < others.count; i++)
		(void)attempts_take(task, attempt, &others.tokens[i], &result);
	return false;
}

bool web_attempt_of_nobody(struct task *task, struct attempt *attempt,
			   struct step_result *ret_answer)
{
	struct id browser;

	if (web_service_of(task)->limits_attempts)
		return attempts_begin(task, attempt, ATTEMPT_PASSWORD, (struct id){0}, ret_answer);
	attempt->is_known = web_known_browser(task, &browser);
	return false;
}

static void on_turn(struct deadline *deadline)
{
	task_resume(container_of(deadline, struct attempt, turn)->task);
}

struct step_result web_attempt(struct task *task, struct attempt *attempt, enum attempt_kind kind,
			       struct id account, task_step *next)
{
	const struct attempt_token token = {&of_account, account};
	struct rate_result result;
	struct step_result answer;
	struct id browser;

	if (!web_service_of(task)->limits_attempts) {
		attempt->is_known = web_known_browser(task, &browser);
		return task_continue(task, next);
	}
	if (attempts_begin(task, attempt, kind, account, &answer))
		return answer;
	if (attempts_take(task, attempt, &token, &result) || attempt->is_known ||
	    kind == ATTEMPT_PASSKEY)
		return task_continue(task, next);
	attempt->task = task;
	deadline_init(&attempt->turn, on_turn);
	deadline_set(task_service(task)->loop, &attempt->turn, LIMIT_ATTEMPT_WAIT_MS);
	return task_wait(task, next);
}

void web_attempt_forget(struct task *task, struct attempt *attempt)
{
	while (attempt->taken_count > 0) {
		const struct attempt_token *token = &attempt->taken[--attempt->taken_count];

		rate_give_back(task_service(task)->visitors, token->policy, token->id,
			       clock_monotonic_us());
	}
}

void web_attempt_failed(struct task *task, struct attempt *attempt)
{
	attempt_hints_send(web_service_of(task)->attempt_hints, attempt->taken,
			   attempt->taken_count);
	attempt->taken_count = 0;
}

struct attempt_hints *web_attempt_hints(struct db *db, struct rate_table *visitors,
					struct id instance)
{
	return attempt_hints_create(&(struct attempt_hints_settings){
	    .db = db,
	    .table = visitors,
	    .instance = instance,
	    .policies = all,
	    .policy_count = sizeof(all) / sizeof(*all),
	});
}

struct id web_unknown_account(struct str folded)
{
	struct id id;

	crypto_generichash(id.bytes, sizeof(id.bytes), (const uint8_t *)folded.data, folded.length,
			   NULL, 0);
	return id;
}
